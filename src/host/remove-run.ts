/** Removes a run permanently. Its content is removed by the next gc, unless another run refers to it. */

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RemoveOptions } from '../engine/index.ts'
import { type RunRow, readCreated } from '../engine/index.ts'
import { raisedConcernsPath } from '../launch/certify/raised-concerns.ts'
import { isReplayFolder } from '../launch/replay/index.ts'
import { defined, isEnd, isLoopError, LoopError, type RunWorktree } from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { repositoryOf } from '../runs/place-run.ts'
import {
  mergeTargetDefault,
  type Removal,
  readBranchState,
  releaseSnapshots,
  removeWorktree,
} from '../workspace/index.ts'

export interface RemovedRun extends RunRow {
  /** What happened to its worktree. */
  readonly worktree?: WorktreeRemoval
}

export type WorktreeRemoval =
  | Removal
  /** The worktree was already removed, but its branch still exists. */
  | { readonly status: 'branch-left'; readonly branch: string; readonly branchKept?: string }
  /** The repository is gone, or something is in the way. */
  | { readonly status: 'failed'; readonly why: string }

export async function removeRun(
  { journal, folder }: HostPorts,
  idOrName: string,
  { force }: RemoveOptions = {},
): Promise<RemovedRun> {
  const run = await journal.findRun(idOrName)
  // A prefix is enough to inspect a run, but not for what cannot be undone.
  if (run.id !== idOrName && run.name !== idOrName) {
    const message = `To remove run "${run.name}" (${run.id}), pass its full name or id.`
    throw new LoopError('bad-request', message)
  }
  const { worktree } = await readCreated(journal, run.id)
  const remove = async (): Promise<void> => {
    await journal.removeRun(run.id, { force: force === true })
    // The run folder in the workspace belongs to the user. A process that is writing to it finds no run and stops.
    const own = join(folder, 'runs', `run-${run.id}`)
    await rm(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    await rm(raisedConcernsPath(folder, run.id), { force: true })
  }
  // The user did not choose the folder of a replay, so it is removed with the run.
  const { workspace } = run
  const isOurs = workspace !== undefined && isReplayFolder(folder, workspace)
  const isRefused = run.held || (force !== true && !isEnd(run.status))
  if (worktree === undefined || isRefused) {
    await remove()
    if (isOurs) await rm(workspace, { recursive: true, force: true })
    return run
  }
  // Before the run is removed, since the journal would no longer know about the worktree.
  const targets = (await journal.merges.ofRun(run.id)).map(({ target }) => target)
  const cleaned = await cleanUp(run, worktree, { discard: isOurs, targets })
  if (cleaned.status === 'failed' && force !== true) throw notCleaned(run, cleaned.why)
  await remove()
  return { ...run, worktree: cleaned }
}

const notCleaned = ({ name, workspace }: RunRow, why: string): LoopError =>
  new LoopError(
    'workspace-failed',
    `Run "${name}" was kept: its worktree ${workspace} cannot be read. ${why} ` +
      'Fix that, or pass --force to remove the run anyway.',
  )

/** Keeps work that is not committed or merged. Snapshots are released: they are no longer needed. */
async function cleanUp(
  { loop, workspace: path }: RunRow,
  worktree: RunWorktree,
  { discard, targets }: { readonly discard: boolean; readonly targets: readonly string[] },
): Promise<WorktreeRemoval> {
  try {
    const repository = await repositoryOf(worktree)
    const { key } = worktree
    const at = defined({ path })
    const removed = await removeWorktree({ repository, key, discard, ...at })
    await releaseSnapshots(repository, worktree.key)
    if (removed.status !== 'unknown') return removed
    const { branch } = worktree
    const branches = [mergeTargetDefault(loop), ...targets]
    const left = await readBranchState(repository, worktree, branches)
    if (left.branch === 'gone') return removed
    const { unmerged } = left
    const why = defined({ branchKept: unmerged })
    return { status: 'branch-left', branch, ...why }
  } catch (error) {
    if (isLoopError(error)) return { status: 'failed', why: error.message }
    throw error
  }
}
