/**
 * Slows down an agent that asks on and on, whatever it is told.
 *
 * E9. After a few exchanges in a row that went wrong, the next ones are sent one at a time, each later
 *     than the one before, however many are asked at once.
 */

import type { Clock } from '../engine/index.ts'
import type { Refusal } from './refusal.ts'

export interface Pace {
  /** Exchanges in a row that went wrong. */
  readonly failures: number
  ended(isGood: boolean): void
  /** Waits for one's turn; a refusal where there are too many before. */
  wait(clock: Clock, signal: AbortSignal): Promise<Refusal | undefined>
}

/** So many may go wrong before anything is slowed down. */
export const freeFailures = 3
const firstWaitMs = 250
const waitMsMax = 30_000
const waitingMax = 4
/** Refusals are not for free either. */
const refusalMs = 1000

export function createPace(): Pace {
  let failures = 0
  let waiting = 0
  let nextAtMs = 0
  return {
    get failures() {
      return failures
    },
    ended(isGood) {
      failures = isGood ? 0 : failures + 1
      if (isGood) nextAtMs = 0
    },
    async wait(clock, signal) {
      if (failures < freeFailures) return undefined
      if (waiting >= waitingMax) {
        await clock.sleep(refusalMs, signal)
        const message = 'Too many requests in a row went wrong. Ask again later, and not as often.'
        return { status: 429, kind: 'rate-limited', message, retryAfterMs: waitMsMax }
      }
      const nowMs = clock.now()
      const waitMs = Math.min(waitMsMax, firstWaitMs * 2 ** Math.min(failures - freeFailures, 10))
      nextAtMs = Math.max(nowMs, nextAtMs) + waitMs
      waiting++
      try {
        await clock.sleep(nextAtMs - nowMs, signal)
      } finally {
        waiting--
      }
      return undefined
    },
  }
}
