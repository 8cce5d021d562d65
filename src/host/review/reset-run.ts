/** Cancels a run and deletes its worktree and branch. Its events stay in the journal. */

import type { RunRow } from '../../engine/index.ts'
import { isEnd, LoopError } from '../../loop/index.ts'
import type { Runs } from '../../runs/runs.ts'
import { type Discarded, type DiscardOptions, scrapRun } from './scrap-run.ts'

export interface ResetOptions extends DiscardOptions {
  /** How long to wait for the run to end. Default: 30 s. */
  readonly waitMs?: number
  readonly signal?: AbortSignal
}

const waitMsDefault = 30_000

/** Rejects with `run-busy` if it does not end in time; it is cancelled nevertheless. */
export async function resetRun(
  host: Runs,
  idOrName: string,
  { by, waitMs = waitMsDefault, signal }: ResetOptions,
): Promise<Discarded> {
  const { id, status } = await host.journal.findRun(idOrName)
  if (!isEnd(status)) await host.sendDecision(id, { type: 'cancel', reason: 'reset' }, by)
  const late = AbortSignal.timeout(waitMs)
  const both = signal === undefined ? late : AbortSignal.any([late, signal])
  const run = await waitUntilReleased(host, id, both)
  if (!isEnd(run.status) || run.held) {
    const message = `Run "${run.name}" was cancelled, and has not ended yet (${run.status}).`
    throw new LoopError('run-busy', `${message} Try again in a moment: loopctl reset ${run.name}`)
  }
  return scrapRun(host, id, { by })
}

/** Waits until the run has ended and no process drives it, or until the signal aborts. */
async function waitUntilReleased(
  { journal }: Runs,
  id: string,
  signal: AbortSignal,
): Promise<RunRow> {
  let wake: () => void = () => undefined
  const unwatch = journal.watch('events', () => wake())
  try {
    for (;;) {
      const run = await journal.findRun(id)
      if ((isEnd(run.status) && !run.held) || signal.aborted) return run
      await new Promise<void>((resolve) => {
        wake = resolve
        // Releasing a run writes no event.
        setTimeout(resolve, pollMs)
      })
    }
  } finally {
    unwatch()
  }
}

const pollMs = 100
