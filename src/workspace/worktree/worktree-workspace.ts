/**
 * A git worktree as a workspace. Its trees are git trees, protected by a private ref; each iteration that changed
 * something is a commit on the run's branch.
 *
 * 1. `restore(t)` and then `snapshot()` returns `t`. Ignored files and empty folders are not part of it.
 * 2. Nothing is read or changed unless the folder still is the worktree that was created: see
 *    `check-worktree.ts`.
 * 3. A ref only moves forward: commits of others are kept as parents.
 * 4. One snapshot, restore or commit runs at a time. No other process should write to it meanwhile.
 */

import type { Workspace } from '../../engine/index.ts'
import { isLoopError, LoopError, type TreeId } from '../../loop/index.ts'
import {
  type Commit,
  type CommitRequest,
  commitTree,
  keepSnapshot,
  readSnapshotsTip,
  readTip,
} from '../git/commit-tree.ts'
import { changedPaths, displayPaths, patchBetween, type TreePair } from '../git/compare-trees.ts'
import { fromTreeId, toTreeId } from '../git/git-tree-id.ts'
import { readLog } from '../git/read-log.ts'
import { branchRef, type ObjectId } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { type RunGit, runGit } from '../git/run-git.ts'
import { ChangedError } from '../read-file.ts'
import { readTextFile, type WriteOptions, writeTextFile } from '../text-files.ts'
import { hasCode } from '../workspace-directory.ts'
import { checkWorktree, failed } from './check-worktree.ts'
import {
  type KnownWorktree,
  openWorkTree,
  publishIndex,
  publishIndexIfMissing,
  type Tools,
} from './open-work-tree.ts'
import { registerAgain } from './register-again.ts'
import { restoreWorkTree, withAccessibleFolders } from './restore-work-tree.ts'
import { keepIndexKnown, snapshotWorkTree } from './snapshot-work-tree.ts'
import type { WorkTree } from './work-tree.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'
import { readRecord, writeRecord } from './worktree-record.ts'

export interface WorktreeWorkspaceOptions {
  readonly repository: Repository
  readonly worktree: KnownWorktree
  /** Untracked paths relative to the worktree that are not part of it. */
  readonly exclude?: readonly string[]
  /** Called before a ref is moved; an error prevents the move (a fence). */
  readonly beforeRef?: () => Promise<void>
  readonly git?: RunGit
  readonly files?: WorktreeFiles
  readonly now?: () => number
}

export interface WorktreeWorkspace extends Workspace {
  changes(before: TreeId, after: TreeId): Promise<readonly string[]>
  /** Commits to the run's branch. Repeating it returns the same commit. */
  commit(request: CommitRequest): Promise<Commit>
  /** The changes, for display. Truncated at `bytesMax`. */
  patch(before: TreeId, after: TreeId, bytesMax?: number): Promise<string>
  readText(path: string): Promise<string | undefined>
  writeText(path: string, text: string, options?: WriteOptions): Promise<void>
  log(max: number): Promise<string>
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
  // git may have pruned it. A missing folder is not recreated here.
  if (status !== 'there') await registerAgain(tools.files, repository, worktree, 'pruned')
  const tree = await openWorkTree(tools, repository, worktree, exclude)
  await recordExclude(tools.files, repository, worktree, exclude)
  const run: OpenRun = { tools, tree, worktree, exclude, beforeRef: options.beforeRef }
  let last: Promise<unknown> = Promise.resolve()

  function enqueue<T>(operation: string, work: () => Promise<T>): Promise<T> {
    const result = last.then(work).catch((error: unknown) => {
      throw isLoopError(error) ? error : explain(operation, path, error)
    })
    last = result.catch(() => {})
    return result
  }

  return {
    path,
    exists: () => enqueue('check', async () => (await readStatus(run)) !== 'missing'),
    snapshot: () => enqueue('snapshot', async () => toTreeId(await snapshot(run))),
    restore: (wanted) => enqueue('restore', () => restore(run, fromTreeId(wanted))),
    changes: (before, after) => enqueue('comparison', () => listChangedPaths(run, before, after)),
    commit: (request) => enqueue('commit', () => commit(run, request)),
    patch: (before, after, bytesMax) =>
      enqueue('comparison', () => patchBetween(toTreePair(run, before, after), bytesMax)),
    readText: (file) => readTextFile(path, file, tools.files),
    writeText: (file, text, writing) =>
      enqueue('write', () => writeTextFile(path, file, text, writing, tools.files)),
    log: (max) =>
      enqueue('log', () => readLog(tools.git, tree.own.at(path), branchRef(worktree.branch), max)),
  }
}

interface OpenRun {
  readonly tools: Tools
  readonly tree: WorkTree
  readonly worktree: KnownWorktree
  readonly exclude: readonly string[]
  readonly beforeRef: (() => Promise<void>) | undefined
}

/** Tells the clean-up that these paths are not work that could be lost. */
async function recordExclude(
  files: WorktreeFiles,
  repository: Repository,
  worktree: KnownWorktree,
  exclude: readonly string[],
): Promise<void> {
  const known = await readRecord(files, repository, worktree.key)
  if (known === undefined || (known.exclude ?? []).join('\0') === exclude.join('\0')) return
  await writeRecord(files, repository, { ...known, exclude })
}

const readStatus = ({ tools, tree, worktree }: OpenRun): ReturnType<typeof checkWorktree> =>
  checkWorktree(tools.files, tree.repository, worktree)

async function requireExisting(run: OpenRun): Promise<void> {
  const status = await readStatus(run)
  const { path } = run.worktree
  if (status === 'missing') {
    const advice = 'Resume the run to recreate it from its last checkpoint.'
    throw failed(path, 'does not exist', advice)
  }
  if (status === 'pruned') {
    throw failed(path, 'is no longer known to git', 'Resume the run to register it again.')
  }
}

async function snapshot(run: OpenRun): Promise<ObjectId> {
  await requireExisting(run)
  const { tree, worktree } = run
  // Its last known tree, so that tracked files stay tracked.
  const fallback = async (): Promise<ObjectId> =>
    (await readSnapshotsTip(tree, worktree.key))?.tree ??
    (await readTip(tree, branchRef(worktree.branch)))?.tree ??
    worktree.base.commit
  const id = await withAccessibleFolders(tree, () => snapshotWorkTree(tree, fallback))
  await keepSnapshot(tree, worktree.key, id, run.beforeRef)
  await publishIndexIfMissing(run.tools.files, tree, worktree.id)
  return id
}

async function restore(run: OpenRun, wanted: ObjectId): Promise<void> {
  const { tools, tree, worktree, exclude } = run
  const status = await readStatus(run)
  if (status === 'missing') {
    await registerAgain(tools.files, tree.repository, worktree, status)
    await openWorkTree(tools, tree.repository, worktree, exclude)
  } else await requireExisting(run)
  await restoreWorkTree(tree, wanted, [...exclude, ...worktree.carried])
  await publishIndexIfMissing(tools.files, tree, worktree.id)
}

async function commit(run: OpenRun, request: CommitRequest): Promise<Commit> {
  const { tools, tree, worktree } = run
  const id = request.tree === undefined ? await snapshot(run) : fromTreeId(request.tree)
  const result = await commitTree(tree, worktree, id, request, run.beforeRef)
  const exists = (await readStatus(run)) === 'there'
  if (exists) {
    await keepIndexKnown(tree, () => publishIndex(tools.files, tree, worktree.id))
  }
  return result
}

async function listChangedPaths(
  run: OpenRun,
  before: TreeId,
  after: TreeId,
): Promise<readonly string[]> {
  const { step } = run.tree.memory
  const pair = toTreePair(run, before, after)
  const isLast = step !== undefined && step.before === pair.before && step.after === pair.after
  return isLast ? displayPaths(step.paths) : changedPaths(pair)
}

const toTreePair = ({ tree }: OpenRun, before: TreeId, after: TreeId): TreePair => ({
  git: tree.git,
  at: tree.own.at(tree.path),
  before: fromTreeId(before),
  after: fromTreeId(after),
})

function explain(operation: string, path: string, cause: unknown): LoopError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `The ${operation} of ${path} failed: ${reason}. ${suggestFix(cause)}`
  return new LoopError('workspace-failed', message, { cause })
}

function suggestFix(cause: unknown): string {
  if (cause instanceof ChangedError) return 'Stop the process that writes to it, then resume.'
  if (hasCode(cause, 'EACCES', 'EPERM')) return 'Make it accessible, then resume.'
  if (hasCode(cause, 'ENOSPC', 'EDQUOT')) return 'Free some space, then resume.'
  return 'Fix the cause, then resume.'
}
