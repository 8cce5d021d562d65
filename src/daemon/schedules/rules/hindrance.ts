/** What keeps a tick from starting a run, before anything is read. Pure. */

import { chainMax, chainOf } from './events.ts'
import { backOffMsMax } from './outcome.ts'
import type { Due, ScheduleState, Skip } from './schedule.ts'

export function findHindrance(state: ScheduleState, due: Due, nowMs: number): Skip | undefined {
  const { running, backOffToMs = 0, failures } = state
  if (chainOf(due.tick) > chainMax) {
    const reason = `${chainMax} runs were already started by each other's ends`
    return { code: 'chain', reason }
  }
  if (running !== undefined) {
    return { code: 'overlap', reason: `run "${running.name}" has not ended` }
  }
  if (due.kind === 'now' || nowMs >= backOffToMs) return undefined
  // The clock was wrong when it failed.
  if (backOffToMs - nowMs > backOffMsMax) return undefined
  const until = new Date(backOffToMs).toISOString().slice(0, 16).replace('T', ' ')
  const reason = `${failures} failed in a row; the next starts after ${until} UTC`
  return { code: 'backing-off', reason }
}

/** An event waits for what passes by itself. */
export const isWaitedFor = ({ code }: Skip, { kind }: Due): boolean =>
  kind === 'event' && (code === 'overlap' || code === 'backing-off')
