/** The trees that a repository keeps, without a worktree: compared, checked, put into a folder. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { LoopError, type TreeId } from '../../loop/index.ts'
import {
  type Compared,
  changedLines,
  changedPaths,
  type FileChange,
  patchBetween,
} from './compare-trees.ts'
import { fromTreeId } from './git-tree-id.ts'
import { makeOwnDirectory, type OwnDirectory } from './own-directory.ts'
import { branchRef, commitOf } from './refs.ts'
import type { Repository } from './repository.ts'
import { type RunGit, runGit } from './run-git.ts'
import { treeTimeoutMs } from './work-tree.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'

export interface GitTrees {
  /** Those of which something is missing. */
  missing(trees: readonly TreeId[]): Promise<readonly TreeId[]>
  /** The tree of a commit, by any name that git has for it. */
  treeOf(commit: string): Promise<TreeId | undefined>
  /** The newest commit of a branch with this tree. */
  commitWith(branch: string, tree: TreeId): Promise<string | undefined>
  changes(before: TreeId, after: TreeId): Promise<readonly string[]>
  lines(before: TreeId, after: TreeId): Promise<readonly FileChange[]>
  /** For people. Cut off at `bytesMax`. */
  patch(
    before: TreeId,
    after: TreeId,
    bytesMax?: number,
    paths?: readonly string[],
  ): Promise<string>
  /** Puts its files into an empty folder. */
  extract(tree: TreeId, folder: string): Promise<void>
}

export function openGitTrees(
  repository: Repository,
  {
    git = runGit,
    files = worktreeFiles,
  }: { readonly git?: RunGit; readonly files?: WorktreeFiles } = {},
): GitTrees {
  let made: Promise<OwnDirectory> | undefined
  const own = (): Promise<OwnDirectory> => {
    const path = join(repository.commonDir, 'loopwright', 'trees')
    made ??= makeOwnDirectory(files, { repository, path, exact: true })
    return made
  }
  const compared = async (before: TreeId, after: TreeId): Promise<Compared> => {
    const { at, path } = await own()
    await requireTrees(git, repository, [before, after])
    return { git, at: at(path), before: fromTreeId(before), after: fromTreeId(after) }
  }
  return {
    async missing(trees) {
      // They share most of what they hold, so all at once is quick; one by one tells which.
      if (await areWhole(git, repository, trees)) return []
      const missing: TreeId[] = []
      for (const tree of trees) {
        if (!(await areWhole(git, repository, [tree]))) missing.push(tree)
      }
      return missing
    },
    treeOf: (commit) => treeOf(git, repository, commit),
    commitWith: (branch, tree) => commitWith(git, repository, branch, tree),
    changes: async (before, after) => changedPaths(await compared(before, after)),
    lines: async (before, after) => changedLines(await compared(before, after)),
    patch: async (before, after, bytesMax, paths) =>
      patchBetween(await compared(before, after), bytesMax, paths),
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

/** Everything in them is read. */
async function areWhole(
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
  for (const tree of trees) {
    const { exitCode } = await git({
      at: { gitDir: commonDir },
      command: 'cat-file',
      options: ['-e'],
      operands: [`${fromTreeId(tree)}^{tree}`],
      answers: [0, 1, 128],
    })
    if (exitCode === 0) continue
    const advice = 'Fetch it from where the run was made.'
    throw new LoopError('unknown-artifact', `The repository ${home} has no tree ${tree}. ${advice}`)
  }
}

async function treeOf(
  git: RunGit,
  repository: Repository,
  commit: string,
): Promise<TreeId | undefined> {
  const { exitCode, stdout } = await git({
    at: { gitDir: repository.commonDir },
    command: 'rev-parse',
    options: ['--verify', '--quiet'],
    operands: [`${commit}^{tree}`],
    answers: [0, 1, 128],
  })
  return exitCode === 0 ? (`git:${stdout.toString('latin1').trim()}` as TreeId) : undefined
}

async function commitWith(
  git: RunGit,
  repository: Repository,
  branch: string,
  tree: TreeId,
): Promise<string | undefined> {
  const tip = await commitOf(git, repository, branchRef(branch))
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
