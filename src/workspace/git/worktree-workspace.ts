/**
 * A git worktree as a workspace. Its trees are git's trees, kept by a ref of their own; each
 * iteration that changed something is a commit on the run's branch.
 *
 * 1. `restore(t)` and then `snapshot()` gives `t`. Ignored files and empty folders are no part of it.
 * 2. Nothing is read or changed unless the folder still is the worktree that was made: see
 *    `check-worktree.ts`.
 * 3. A ref moves only forward from what it was: a commit that somebody else made is built upon.
 * 4. One snapshot, restore or commit at a time. Nothing else should be at work in it meanwhile.
 */

import type { Workspace } from '../../engine/index.ts'
import { isLoopError, LoopError, type TreeId } from '../../loop/index.ts'
import { hasCode } from '../place.ts'
import { ChangedError } from '../read-file.ts'
import { checkWorktree, failed } from './check-worktree.ts'
import {
  type Commit,
  type CommitRequest,
  commitTree,
  keepSnapshot,
  snapshotsTip,
  tipOf,
} from './commit-tree.ts'
import { type Compared, changedPaths, patchBetween } from './compare-trees.ts'
import { fromTreeId, toTreeId } from './git-tree-id.ts'
import {
  type KnownWorktree,
  openWorkTree,
  showIndex,
  showIndexIfNone,
  type Tools,
} from './open-work-tree.ts'
import { branchRef, type ObjectId } from './refs.ts'
import { registerAgain } from './register-again.ts'
import type { Repository } from './repository.ts'
import { restoreWorkTree, withUsableFolders } from './restore-work-tree.ts'
import { type RunGit, runGit } from './run-git.ts'
import { snapshotWorkTree } from './snapshot-work-tree.ts'
import type { WorkTree } from './work-tree.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'
import { readRecord, writeRecord } from './worktree-record.ts'

export interface WorktreeWorkspaceOptions {
  readonly repository: Repository
  readonly worktree: KnownWorktree
  /** Paths relative to the worktree that are no part of it, and that git does not track. */
  readonly exclude?: readonly string[]
  /** Called before a ref is moved. What it throws stops that: a fence. */
  readonly beforeRef?: () => Promise<void>
  readonly git?: RunGit
  readonly files?: WorktreeFiles
  readonly now?: () => number
}

export interface WorktreeWorkspace extends Workspace {
  changes(before: TreeId, after: TreeId): Promise<readonly string[]>
  /** A commit on the run's branch. Done again, it is the same commit. */
  commit(request: CommitRequest): Promise<Commit>
  /** What changed, for people. Cut off at `bytesMax`. */
  patch(before: TreeId, after: TreeId, bytesMax?: number): Promise<string>
}

export async function openWorktree(options: WorktreeWorkspaceOptions): Promise<WorktreeWorkspace> {
  const { repository, worktree, exclude = [] } = options
  const { path } = worktree
  const tools: Tools = {
    git: options.git ?? runGit,
    files: options.files ?? worktreeFiles,
    now: options.now ?? Date.now,
  }
  const status = await checkWorktree(tools.files, repository, worktree)
  // git may have forgotten it; it is ours. A folder that is gone is not made of nothing here.
  if (status !== 'there') await registerAgain(tools.files, repository, worktree, 'pruned')
  const tree = await openWorkTree(tools, repository, worktree, exclude)
  await noteExclude(tools.files, repository, worktree, exclude)
  const run: OpenRun = { tools, tree, worktree, exclude, beforeRef: options.beforeRef }
  let last: Promise<unknown> = Promise.resolve()

  function inTurn<T>(what: string, work: () => Promise<T>): Promise<T> {
    const turn = last.then(work).catch((error: unknown) => {
      throw isLoopError(error) ? error : explained(what, path, error)
    })
    last = turn.catch(() => {})
    return turn
  }

  return {
    path,
    exists: () => inTurn('look', async () => (await statusOf(run)) !== 'missing'),
    snapshot: () => inTurn('snapshot', async () => toTreeId(await snapshot(run))),
    restore: (wanted) => inTurn('restore', () => restore(run, fromTreeId(wanted))),
    changes: (before, after) =>
      inTurn('comparison', () => changedPaths(compared(run, before, after))),
    commit: (request) => inTurn('commit', () => commit(run, request)),
    patch: (before, after, bytesMax) =>
      inTurn('comparison', () => patchBetween(compared(run, before, after), bytesMax)),
  }
}

interface OpenRun {
  readonly tools: Tools
  readonly tree: WorkTree
  readonly worktree: KnownWorktree
  readonly exclude: readonly string[]
  readonly beforeRef: (() => Promise<void>) | undefined
}

/** Whoever cleans up must know that they are no work that could be lost. */
async function noteExclude(
  files: WorktreeFiles,
  repository: Repository,
  worktree: KnownWorktree,
  exclude: readonly string[],
): Promise<void> {
  const known = await readRecord(files, repository, worktree.key)
  if (known === undefined || (known.exclude ?? []).join('\0') === exclude.join('\0')) return
  await writeRecord(files, repository, { ...known, exclude })
}

const statusOf = ({ tools, tree, worktree }: OpenRun): ReturnType<typeof checkWorktree> =>
  checkWorktree(tools.files, tree.repository, worktree)

async function requireThere(run: OpenRun): Promise<void> {
  const status = await statusOf(run)
  const { path } = run.worktree
  if (status === 'missing') {
    throw failed(path, 'is gone', 'Resume the run: it is made again from its last checkpoint.')
  }
  if (status === 'pruned') {
    throw failed(path, 'is not known to git any more', 'Resume the run: it is registered again.')
  }
}

async function snapshot(run: OpenRun): Promise<ObjectId> {
  await requireThere(run)
  const { tree, worktree } = run
  // What it was last known to be: so what is tracked stays so.
  const fallback = async (): Promise<ObjectId> =>
    (await snapshotsTip(tree, worktree.key))?.tree ??
    (await tipOf(tree, branchRef(worktree.branch)))?.tree ??
    worktree.base.commit
  const id = await withUsableFolders(tree, () => snapshotWorkTree(tree, fallback))
  await keepSnapshot(tree, worktree.key, id, run.beforeRef)
  await showIndexIfNone(run.tools.files, tree, worktree.id)
  return id
}

async function restore(run: OpenRun, wanted: ObjectId): Promise<void> {
  const { tools, tree, worktree, exclude } = run
  const status = await statusOf(run)
  if (status === 'missing') {
    await registerAgain(tools.files, tree.repository, worktree, status)
    await openWorkTree(tools, tree.repository, worktree, exclude)
  } else await requireThere(run)
  await restoreWorkTree(tree, wanted, [...exclude, ...worktree.carried])
  await showIndexIfNone(tools.files, tree, worktree.id)
}

async function commit(run: OpenRun, request: CommitRequest): Promise<Commit> {
  const { tools, tree, worktree } = run
  const id = request.tree === undefined ? await snapshot(run) : fromTreeId(request.tree)
  const made = await commitTree(tree, worktree, id, request, run.beforeRef)
  const isShown = (await statusOf(run)) === 'there'
  if (isShown) await showIndex(tools.files, tree, worktree.id)
  return made
}

const compared = ({ tree }: OpenRun, before: TreeId, after: TreeId): Compared => ({
  git: tree.git,
  at: tree.own.at(tree.path),
  before: fromTreeId(before),
  after: fromTreeId(after),
})

function explained(what: string, path: string, cause: unknown): LoopError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `The ${what} of ${path} failed: ${reason}. ${adviceFor(cause)}`
  return new LoopError('workspace-failed', message, { cause })
}

function adviceFor(cause: unknown): string {
  if (cause instanceof ChangedError) return 'Stop what writes to it, then resume.'
  if (hasCode(cause, 'EACCES', 'EPERM')) return 'Make it accessible, then resume.'
  if (hasCode(cause, 'ENOSPC', 'EDQUOT')) return 'Free some space, then resume.'
  return 'Remove the cause, then resume.'
}
