/** Ends a run and takes all that it made away, whatever is in it. Its record stays. */

import { isEnd } from '../../loop/index.ts'
import type { Host } from '../host.ts'
import { type Discarded, type DiscardOptions, scrapRun } from './scrap-run.ts'

export interface ResetOptions extends DiscardOptions {
  /** How long to wait for the run to end; 30 s unless told. */
  readonly waitMs?: number
  readonly signal?: AbortSignal
}

/** Rejects with `run-busy` where it does not end in time. */
export async function resetRun(
  host: Host,
  idOrName: string,
  options: ResetOptions,
): Promise<Discarded> {
  const { id, status } = await host.journal.findRun(idOrName)
  if (!isEnd(status)) await host.tell(id, { type: 'cancel', reason: 'reset' }, options.by)
  return scrapRun(host, id, options)
}
