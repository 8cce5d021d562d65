/** Compares, checks and extracts trees of a repository, without a worktree. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { LoopError, type TreeId } from '../../loop/index.ts'
import { treeTimeoutMs } from '../worktree/work-tree.ts'
import { type WorktreeFiles, worktreeFiles } from '../worktree/worktree-files.ts'
import {
  changedLines,
  changedPaths,
  type FileChange,
  patchBetween,
  type TreePair,
} from './compare-trees.ts'
import { fromTreeId, toTreeId } from './git-tree-id.ts'
import { createPrivateGitDir, type PrivateGitDir } from './private-git-dir.ts'
import { branchRef, resolveCommit, resolveObjects } from './refs.ts'
import type { Repository } from './repository.ts'
import { type RunGit, runGit } from './run-git.ts'

export interface GitTrees {
  /** The incomplete ones among these trees. */
  missing(trees: readonly TreeId[]): Promise<readonly TreeId[]>
  /** The tree of a commit, by any name that git accepts. */
  resolveTree(commit: string): Promise<TreeId | undefined>
  /** The newest commit of a branch with this tree. */
  findCommit(branch: string, tree: TreeId): Promise<string | undefined>
  changes(before: TreeId, after: TreeId): Promise<readonly string[]>
  countChangedLines(before: TreeId, after: TreeId): Promise<readonly FileChange[]>
  /** For display. Truncated at `bytesMax`. */
  patch(
    before: TreeId,
    after: TreeId,
    bytesMax?: number,
    paths?: readonly string[],
  ): Promise<string>
  /** Writes its files into an empty folder. */
  extract(tree: TreeId, folder: string): Promise<void>
}

export function openGitTrees(
  repository: Repository,
  {
    git = runGit,
    files = worktreeFiles,
  }: { readonly git?: RunGit; readonly files?: WorktreeFiles } = {},
): GitTrees {
  let created: Promise<PrivateGitDir> | undefined
  const own = (): Promise<PrivateGitDir> => {
    const path = join(repository.commonDir, 'loopwright', 'trees')
    created ??= createPrivateGitDir(files, { repository, path, exact: true })
    return created
  }
  const pair = async (before: TreeId, after: TreeId): Promise<TreePair> => {
    const { at, path } = await own()
    await requireTrees(git, repository, [before, after])
    return { git, at: at(path), before: fromTreeId(before), after: fromTreeId(after) }
  }
  return {
    async missing(trees) {
      // Trees share most objects, so checking all at once is fast; one by one finds the incomplete ones.
      if (await areComplete(git, repository, trees)) return []
      const missing: TreeId[] = []
      for (const tree of trees) {
        if (!(await areComplete(git, repository, [tree]))) missing.push(tree)
      }
      return missing
    },
    resolveTree: (commit) => resolveTree(git, repository, commit),
    findCommit: (branch, tree) => findCommit(git, repository, branch, tree),
    changes: async (before, after) => changedPaths(await pair(before, after)),
    countChangedLines: async (before, after) => changedLines(await pair(before, after)),
    patch: async (before, after, bytesMax, paths) =>
      patchBetween(await pair(before, after), bytesMax, paths),
    async extract(tree, folder) {
      await requireTrees(git, repository, [tree])
      const { at, path } = await own()
      const index = join(path, `index.${randomUUID()}`)
      try {
        await git({
          at: at(folder, index),
          command: 'read-tree',
          options: ['--reset', '-u', '--no-recurse-submodules'],
          operands: [fromTreeId(tree)],
          timeoutMs: treeTimeoutMs,
        })
      } finally {
        for (const left of [index, `${index}.lock`]) await files.unlink(left).catch(() => {})
      }
    },
  }
}

/** Reads all objects of the trees. */
async function areComplete(
  git: RunGit,
  { commonDir }: Repository,
  trees: readonly TreeId[],
): Promise<boolean> {
  if (trees.length === 0) return true
  const { exitCode } = await git({
    at: { gitDir: commonDir },
    command: 'rev-list',
    options: ['--objects', '--verify-objects', '--quiet', '--stdin'],
    input: Buffer.from(trees.map((tree) => `${fromTreeId(tree)}\n`).join(''), 'latin1'),
    answers: [0, 1, 128],
    timeoutMs: treeTimeoutMs,
  })
  return exitCode === 0
}

async function requireTrees(
  git: RunGit,
  { commonDir, home }: Repository,
  trees: readonly TreeId[],
): Promise<void> {
  const names = trees.map((tree) => `${fromTreeId(tree)}^{tree}`)
  const missing = (await resolveObjects(git, commonDir, names)).indexOf(undefined)
  if (missing === -1) return
  const advice = 'Fetch it from the repository in which the run was created.'
  const message = `The repository ${home} has no tree ${trees[missing]}. ${advice}`
  throw new LoopError('unknown-artifact', message)
}

async function resolveTree(
  git: RunGit,
  repository: Repository,
  commit: string,
): Promise<TreeId | undefined> {
  const [id] = await resolveObjects(git, repository.commonDir, [`${commit}^{tree}`])
  return id === undefined ? undefined : toTreeId(id)
}

async function findCommit(
  git: RunGit,
  repository: Repository,
  branch: string,
  tree: TreeId,
): Promise<string | undefined> {
  const tip = await resolveCommit(git, repository, branchRef(branch))
  if (tip === undefined) return undefined
  const { stdout } = await git({
    at: { gitDir: repository.commonDir },
    command: 'rev-list',
    options: ['--format=%H %T', '--no-commit-header', '--max-count=10000'],
    operands: [tip],
  })
  const wanted = ` ${fromTreeId(tree)}`
  return stdout
    .toString('latin1')
    .split('\n')
    .find((line) => line.endsWith(wanted))
    ?.split(' ')[0]
}
