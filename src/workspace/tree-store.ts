/**
 * Trees by their ids, whatever keeps them: blobs of the record, or the repository of a run that works
 * in a worktree. All that is done with trees apart from a workspace goes through here.
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

export interface TreeDoor {
  /** Every blob of the record that a tree needs; what is in git is kept by git. */
  reachable: DirectoryTrees['reachable']
  readTree: DirectoryTrees['readTree']
  /** Paths that differ. */
  changes(before: TreeId, after: TreeId): Promise<readonly string[]>
  /** What differs, with lines; and as a patch for people, if that is wanted. */
  compare(
    before: TreeId,
    after: TreeId,
    wanted: { readonly patch: boolean },
  ): Promise<{ readonly files: readonly FileChange[]; readonly patch?: string }>
  /** The same files as a tree of blobs, so that they can be had without the repository. */
  asBlobs(tree: TreeId): Promise<TreeId>
  /** Puts its files into a folder, which is made what the tree says. */
  extract(tree: TreeId, folder: string): Promise<void>
  /** Of these trees of git, what is wrong. */
  gitProblems(trees: readonly TreeId[]): Promise<readonly string[]>
}

/** `folder`: the state folder. */
interface TreeStorePorts {
  readonly journal: Journal
  readonly blobs: Blobs
  readonly folder: string
}

export function createTreeDoor(base: TreeStorePorts): TreeDoor {
  const { blobs } = base
  const trees = createTrees(blobs)
  let known: Promise<readonly GitTrees[]> | undefined
  const repositories = (): Promise<readonly GitTrees[]> => {
    known ??= openRepositories(base)
    return known
  }

  async function gitWith(tree: TreeId): Promise<GitTrees> {
    for (const one of await repositories()) {
      if ((await one.treeOf(tree.slice('git:'.length))) !== undefined) return one
    }
    const advice = 'Put the repository of its run back where it was.'
    throw new LoopError('unknown-artifact', `No repository here has the tree ${tree}. ${advice}`)
  }

  async function asBlobs(tree: TreeId): Promise<TreeId> {
    if (!isGitTree(tree)) return tree
    const git = await gitWith(tree)
    return inOwnFolder(base.folder, async (path) => {
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
        return (await gitWith(before)).changes(before, after)
      }
      const { added, changed, removed } = await trees.diffTrees(
        await asBlobs(before),
        await asBlobs(after),
      )
      return [...added, ...changed, ...removed].toSorted()
    },
    async compare(before, after, { patch }) {
      if (isGitTree(before) && isGitTree(after)) {
        const git = await gitWith(before)
        const files = await git.lines(before, after)
        return patch ? { files, patch: await git.patch(before, after) } : { files }
      }
      const both = [await asBlobs(before), await asBlobs(after)] as const
      return inOwnFolder(base.folder, (path) => compareBlobs(base, both, path))
    },
    async extract(tree, folder) {
      if (!isGitTree(tree)) return createDirectoryWorkspace({ path: folder, blobs }).restore(tree)
      await mkdir(folder, { recursive: true })
      await (await gitWith(tree)).extract(tree, folder)
    },
    async gitProblems(wanted) {
      if (wanted.length === 0) return []
      let missing = wanted
      for (const one of await repositories()) {
        if (missing.length > 0) missing = await one.missing(missing)
      }
      return missing.map((tree) => `The tree ${tree} is not whole in any repository of a run.`)
    },
  }
}

/** Those of all runs on record; those that are gone have nothing any more. */
async function openRepositories({ journal }: TreeStorePorts): Promise<readonly GitTrees[]> {
  const runs = await journal.listRuns({ limit: Number.MAX_SAFE_INTEGER })
  const created = await Promise.all(runs.map(({ id }) => readCreated(journal, id)))
  const paths = new Set(created.flatMap(({ worktree }) => worktree?.repository ?? []))
  const opened: GitTrees[] = []
  // Without it, none of them would seem to be there.
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

/** Nothing of what is put there is run. */
export async function inOwnFolder<T>(
  record: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  await mkdir(restoreFolder(record), { recursive: true, mode: 0o700 })
  const path = await mkdtemp(join(restoreFolder(record), 'restore-'))
  try {
    return await work(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}
