/** Throws the work of a run away: its worktree and its branch go, its record stays. */

import type { RunRow } from '../../engine/index.ts'
import { isEnd, LoopError } from '../../loop/index.ts'
import type { Host } from '../host.ts'
import { type Review, recordReview } from './review.ts'

export interface DiscardOptions {
  /** Who says so, for the record. */
  readonly by: string
}

export interface Discarded {
  readonly run: Pick<RunRow, 'id' | 'name' | 'status'>
  /** The folder that went; absent: there was none. */
  readonly worktree?: string
  readonly branch?: string
  /** How many commits of the branch are on no other now. */
  readonly commits: number
  /** What was in no commit. */
  readonly uncommitted: readonly string[]
  readonly review: Review
}

/** Rejects with `wrong-status` for a run that has not ended. */
export async function scrapRun(
  host: Host,
  idOrName: string,
  { by }: DiscardOptions,
): Promise<Discarded> {
  const { id, name, status } = await host.journal.findRun(idOrName)
  if (!isEnd(status)) {
    const message = `Run "${name}" has not ended (${status}). End it first: loopctl cancel ${name}`
    throw new LoopError('wrong-status', message)
  }
  const review = await recordReview(host, id, { status: 'scrapped', by })
  return { run: { id, name, status }, commits: 0, uncommitted: [], review }
}
