/** Which model worked on what is certified: as the gateway saw it, else as the loop file names it. */

import type { Journal } from '../../engine/index.ts'
import { kindOf, type RunId } from '../../loop/index.ts'

const eventsAtOnce = 1000

/** The last one that an agent talked to in this iteration. Undefined: the gateway saw none. */
export async function findModelUsed(
  journal: Pick<Journal, 'checkpoints' | 'read'>,
  run: RunId,
  iteration: number,
): Promise<string | undefined> {
  const before = (await journal.checkpoints(run)).findLast((one) => one.iteration < iteration)
  let afterSeq = before?.seq ?? 0
  let model: string | undefined
  while (true) {
    const events = await journal.read(run, { afterSeq, limit: eventsAtOnce })
    for (const { event, seq } of events) {
      afterSeq = seq
      if (event.type !== 'step-noted' || event.note.type !== 'exchanged') continue
      if (kindOf(event.step) === 'agent') {
        model = `${event.note.provider}/${event.note.model}`
      }
    }
    if (events.length < eventsAtOnce) return model
  }
}
