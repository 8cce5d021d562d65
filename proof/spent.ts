/**
 * What a run spent, added up from its events in another way than the engine does: attempt by attempt.
 * What was reserved and never settled counts in full.
 */

import type { Amount, RunEvent } from 'loopwright'

export function spentBy(events: readonly RunEvent[]): Amount {
  const open = new Map<string, Amount>()
  const amounts: Amount[] = []
  for (const event of events) {
    if (event.type === 'step-started' && event.reserved !== undefined) {
      open.set(attemptOf(event), event.reserved)
    }
    if (event.type === 'budget-reserved') open.set(event.id, event.worst)
    if (event.type === 'budget-settled') {
      open.delete(event.id)
      amounts.push(event.spent)
    }
    if (endsAttempt(event)) {
      open.delete(attemptOf(event))
      if (event.spent !== undefined) amounts.push(event.spent)
    }
  }
  return [...amounts, ...open.values()].reduce(
    (sum, part) => ({
      tokens: sum.tokens + part.tokens,
      costMicros: sum.costMicros + part.costMicros,
    }),
    { tokens: 0, costMicros: 0 },
  )
}

const attemptOf = (event: { iteration: number; step: string; attempt: number }): string =>
  `${event.iteration} ${event.step} ${event.attempt}`

type AttemptEnd = Extract<RunEvent, { type: 'step-finished' | 'step-failed' | 'step-interrupted' }>

const endsAttempt = (event: RunEvent): event is AttemptEnd =>
  event.type === 'step-finished' ||
  event.type === 'step-failed' ||
  event.type === 'step-interrupted'
