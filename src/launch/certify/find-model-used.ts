/** Finds the model that worked on a candidate, from the exchanges that the gateway recorded. */

import type { Journal } from '../../engine/index.ts'
import { parseStepKind, type RunId } from '../../loop/index.ts'

const eventsAtOnce = 1000

/** Returns the last model that an agent used in this iteration. Undefined: the gateway recorded none. */
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
      if (parseStepKind(event.step) === 'agent') {
        model = `${event.note.provider}/${event.note.model}`
      }
    }
    if (events.length < eventsAtOnce) return model
  }
}
