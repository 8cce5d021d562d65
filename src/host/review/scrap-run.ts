/** Deletes the worktree and branch of an ended run. Its events stay in the journal. */

import type { RunRow } from '../../engine/index.ts'
import { type Review, recordReview } from '../../history/review.ts'
import type { FolderHost } from '../../history/run-folder/options.ts'
import { writeRunFolder } from '../../history/run-folder/write-run-folder.ts'
import { isEnd, LoopError } from '../../loop/index.ts'
import { type DiscardedWork, discardWork } from './discard-work.ts'

export interface DiscardOptions {
  /** The person who discards it, for the journal. */
  readonly by: string
}

export interface Discarded extends DiscardedWork {
  readonly run: Pick<RunRow, 'id' | 'name' | 'status'>
  readonly review: Review
}

/** Rejects with `wrong-status` for a run that has not ended. */
export async function scrapRun(
  host: FolderHost,
  idOrName: string,
  { by }: DiscardOptions,
): Promise<Discarded> {
  const run = await host.journal.findRun(idOrName)
  const { id, name, status } = run
  if (!isEnd(status)) {
    const message = `Run "${name}" has not ended (${status}), and would create them again.`
    const advice = `End it first (loopctl cancel ${name}), or do both: loopctl reset ${name}`
    throw new LoopError('wrong-status', `${message} ${advice}`)
  }
  if (run.held) {
    const message = `Run "${name}" has just ended, and its process is still cleaning up.`
    throw new LoopError('run-busy', `${message} Try again.`)
  }
  // The run folder keeps the diff.
  await writeRunFolder(host, id).catch(() => undefined)
  const discarded = await discardWork(host.journal, run)
  const review = await recordReview(host, id, { status: 'scrapped', by })
  return { run: { id, name, status }, ...discarded, review }
}
