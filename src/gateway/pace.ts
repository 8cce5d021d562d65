/**
 * Slows down an agent that keeps sending requests regardless of the responses.
 *
 * E9. After a few consecutive failed exchanges, the next ones are sent one at a time with
 *     growing delays, however many are requested at once.
 */

import type { Clock } from '../engine/index.ts'
import type { Refusal } from './wire/refusal.ts'

export interface Pace {
  /** Consecutive failed exchanges. */
  readonly failures: number
  ended(isSuccess: boolean): void
  /** Waits for the next free slot; returns a refusal if too many requests are already waiting. */
  wait(clock: Clock, signal: AbortSignal): Promise<Refusal | undefined>
}

/** This many failures cause no delay. */
export const toleratedFailures = 3
const firstWaitMs = 250
const waitMsMax = 30_000
const waitingMax = 4
/** Refusals are delayed too. */
const refusalMs = 1000

export function createPace(): Pace {
  let failures = 0
  let waiting = 0
  let nextAtMs = 0
  return {
    get failures() {
      return failures
    },
    ended(isSuccess) {
      failures = isSuccess ? 0 : failures + 1
      if (isSuccess) nextAtMs = 0
    },
    async wait(clock, signal) {
      if (failures < toleratedFailures) return undefined
      if (waiting >= waitingMax) {
        await clock.sleep(refusalMs, signal)
        const message = 'Too many consecutive requests failed. Retry later and less often.'
        return { status: 429, kind: 'rate-limited', message, retryAfterMs: waitMsMax }
      }
      const nowMs = clock.now()
      const waitMs = Math.min(
        waitMsMax,
        firstWaitMs * 2 ** Math.min(failures - toleratedFailures, 10),
      )
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
