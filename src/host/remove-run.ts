/** Takes a run out of the record for good. Its content goes with the next gc, if no other names it. */

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
  /** What became of its worktree. */
  readonly worktree?: WorktreeRemoval
}

export type WorktreeRemoval =
  | Removal
  /** It went before, and its branch did not. */
  | { readonly status: 'branch-left'; readonly branch: string; readonly branchKept?: string }
  /** The repository is gone, or something is in the way. */
  | { readonly status: 'failed'; readonly why: string }

export async function removeRun(
  { journal, folder }: HostPorts,
  idOrName: string,
  { force }: RemoveOptions = {},
): Promise<RemovedRun> {
  const run = await journal.findRun(idOrName)
  // A beginning is enough to look at a run; what cannot be undone wants all of it.
  if (run.id !== idOrName && run.name !== idOrName) {
    const message = `To remove run "${run.name}" (${run.id}), give its whole name or id.`
    throw new LoopError('bad-request', message)
  }
  const { worktree } = await readCreated(journal, run.id)
  const remove = async (): Promise<void> => {
    await journal.removeRun(run.id, { force: force === true })
    // Those beside its work are the person's. Who writes them at this moment finds no run, and ends.
    const own = join(folder, 'runs', `run-${run.id}`)
    await rm(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    await rm(raisedConcernsPath(folder, run.id), { force: true })
  }
  // Nobody chose the folder of a replay, so nobody would look for it.
  const { workspace } = run
  const isOurs = workspace !== undefined && isReplayFolder(folder, workspace)
  const isRefused = run.held || (force !== true && !isEnd(run.status))
  if (worktree === undefined || isRefused) {
    await remove()
    if (isOurs) await rm(workspace, { recursive: true, force: true })
    return run
  }
  // Once the run is forgotten, nobody knows of what it left behind.
  const cleaned = await cleanUp(run, worktree, isOurs)
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

/** What is not committed or merged stays, as in any clean-up; nobody will ask for snapshots again. */
async function cleanUp(
  { loop, workspace: path }: RunRow,
  worktree: RunWorktree,
  discard: boolean,
): Promise<WorktreeRemoval> {
  try {
    const repository = await repositoryOf(worktree)
    const { key } = worktree
    const at = defined({ path })
    const removed = await removeWorktree({ repository, key, discard, ...at })
    await releaseSnapshots(repository, worktree.key)
    if (removed.status !== 'unknown') return removed
    const { branch } = worktree
    const left = await readBranchState(repository, worktree, [mergeTargetDefault(loop)])
    if (left.branch === 'gone') return removed
    const { unmerged } = left
    const why = defined({ branchKept: unmerged })
    return { status: 'branch-left', branch, ...why }
  } catch (error) {
    if (isLoopError(error)) return { status: 'failed', why: error.message }
    throw error
  }
}
