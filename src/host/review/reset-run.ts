/** Ends a run and takes all that it made away, whatever is in it. Its record stays. */

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

/** Rejects with `run-busy` where it does not end in time; it is cancelled all the same. */
export async function resetRun(
  host: Runs,
  idOrName: string,
  { by, waitMs = waitMsDefault, signal }: ResetOptions,
): Promise<Discarded> {
  const { id, status } = await host.journal.findRun(idOrName)
  if (!isEnd(status)) await host.tell(id, { type: 'cancel', reason: 'reset' }, by)
  const late = AbortSignal.timeout(waitMs)
  const both = signal === undefined ? late : AbortSignal.any([late, signal])
  const run = await leftBy(host, id, both)
  if (!isEnd(run.status) || run.held) {
    const message = `Run "${run.name}" was cancelled, and has not ended yet (${run.status}).`
    throw new LoopError('run-busy', `${message} Try again in a moment: loopctl reset ${run.name}`)
  }
  return scrapRun(host, id, { by })
}

/** How it is once it has ended and nobody drives it, or when the waiting is over. */
async function leftBy({ journal }: Runs, id: string, signal: AbortSignal): Promise<RunRow> {
  let wake: () => void = () => undefined
  const unwatch = journal.watch('events', () => wake())
  try {
    for (;;) {
      const run = await journal.findRun(id)
      if ((isEnd(run.status) && !run.held) || signal.aborted) return run
      await new Promise<void>((resolve) => {
        wake = resolve
        // That it was let go of is no event.
        setTimeout(resolve, lookMs)
      })
    }
  } finally {
    unwatch()
  }
}

const lookMs = 100
