/**
 * Trees by id, wherever they are stored: as blobs in the state folder, or in the repository of a run with a
 * worktree. All operations on trees outside a workspace go through here.
 */

import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Blobs, type Journal, readCreated } from '../engine/index.ts'
import { isLoopError, LoopError, type TreeId } from '../loop/index.ts'
import { restoreFolder } from '../system/index.ts'
import { compareBlobs } from './compare-blobs.ts'
import { createDirectoryWorkspace } from './directory.ts'
import type { FileChange } from './git/compare-trees.ts'
import { findGit } from './git/find-git.ts'
import { isGitTree } from './git/git-tree-id.ts'
import { type GitTrees, openGitTrees } from './git/git-trees.ts'
import { findRepository } from './git/repository.ts'
import { createTrees, type DirectoryTrees } from './trees.ts'

export interface TreeStore {
  /** Every stored blob that a tree needs. Trees in git need none. */
  reachable: DirectoryTrees['reachable']
  readTree: DirectoryTrees['readTree']
  /** Paths that differ. */
  changes(before: TreeId, after: TreeId): Promise<readonly string[]>
  /** The files that differ, with line counts, and the patch if requested. */
  compare(
    before: TreeId,
    after: TreeId,
    wanted: { readonly patch: boolean },
  ): Promise<{ readonly files: readonly FileChange[]; readonly patch?: string }>
  /** The same files as a tree of blobs, so that they are available without the repository. */
  asBlobs(tree: TreeId): Promise<TreeId>
  /** Writes its files into a folder and removes all others there. */
  extract(tree: TreeId, folder: string): Promise<void>
  /** Describes the problems of these git trees. */
  gitProblems(trees: readonly TreeId[]): Promise<readonly string[]>
}

/** `folder`: the state folder. */
interface TreeStorePorts {
  readonly journal: Journal
  readonly blobs: Blobs
  readonly folder: string
}

export function createTreeStore(base: TreeStorePorts): TreeStore {
  const { blobs } = base
  const trees = createTrees(blobs)
  let known: Promise<readonly GitTrees[]> | undefined
  const repositories = (): Promise<readonly GitTrees[]> => {
    known ??= openRepositories(base)
    return known
  }

  async function findGitTrees(tree: TreeId): Promise<GitTrees> {
    for (const one of await repositories()) {
      if ((await one.resolveTree(tree.slice('git:'.length))) !== undefined) return one
    }
    const advice = 'Move the repository of its run back to its original path.'
    throw new LoopError('unknown-artifact', `No known repository has the tree ${tree}. ${advice}`)
  }

  async function asBlobs(tree: TreeId): Promise<TreeId> {
    if (!isGitTree(tree)) return tree
    const git = await findGitTrees(tree)
    return withRestoreFolder(base.folder, async (path) => {
      await git.extract(tree, path)
      return createDirectoryWorkspace({ path, blobs, exclude: [] }).snapshot()
    })
  }

  return {
    reachable: trees.reachable,
    readTree: trees.readTree,
    asBlobs,
    async changes(before, after) {
      if (isGitTree(before) && isGitTree(after)) {
        return (await findGitTrees(before)).changes(before, after)
      }
      const { added, changed, removed } = await trees.diffTrees(
        await asBlobs(before),
        await asBlobs(after),
      )
      return [...added, ...changed, ...removed].toSorted()
    },
    async compare(before, after, { patch }) {
      if (before === after) return patch ? { files: [], patch: '' } : { files: [] }
      if (isGitTree(before) && isGitTree(after)) {
        const git = await findGitTrees(before)
        const files = await git.countChangedLines(before, after)
        return patch ? { files, patch: await git.patch(before, after) } : { files }
      }
      const both = [await asBlobs(before), await asBlobs(after)] as const
      return withRestoreFolder(base.folder, (path) => compareBlobs(base, both, path))
    },
    async extract(tree, folder) {
      if (!isGitTree(tree)) return createDirectoryWorkspace({ path: folder, blobs }).restore(tree)
      await mkdir(folder, { recursive: true })
      await (await findGitTrees(tree)).extract(tree, folder)
    },
    async gitProblems(wanted) {
      if (wanted.length === 0) return []
      let missing = wanted
      for (const one of await repositories()) {
        if (missing.length > 0) missing = await one.missing(missing)
      }
      return missing.map((tree) => `The tree ${tree} is incomplete in every repository of a run.`)
    },
  }
}

/** The repositories of all runs, except those that no longer exist. */
async function openRepositories({ journal }: TreeStorePorts): Promise<readonly GitTrees[]> {
  const runs = await journal.listRuns({ limit: Number.MAX_SAFE_INTEGER })
  const created = await Promise.all(runs.map(({ id }) => readCreated(journal, id)))
  const paths = new Set(created.flatMap(({ worktree }) => worktree?.repository ?? []))
  const opened: GitTrees[] = []
  // Without git, all repositories would seem to be missing.
  if (paths.size > 0) await findGit()
  for (const path of paths) {
    const folder = basename(path) === '.git' ? dirname(path) : path
    const found = await findRepository(folder).catch((error: unknown) => {
      if (isLoopError(error)) return undefined
      throw error
    })
    if (found !== undefined) opened.push(openGitTrees(found))
  }
  return opened
}

/** Runs `work` with a temporary folder. No file in it is ever executed. */
export async function withRestoreFolder<T>(
  stateFolder: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  await mkdir(restoreFolder(stateFolder), { recursive: true, mode: 0o700 })
  const path = await mkdtemp(join(restoreFolder(stateFolder), 'restore-'))
  try {
    return await work(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}
