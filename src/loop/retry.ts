/** When a failed step is tried again. Pure: chance comes in as a number. */

import type { Fault } from './fault.ts'

export interface RetryPolicy {
  /** Attempts in all, the first included. 1: never again. */
  readonly attempts: number
  readonly firstDelayMs: number
  readonly factor: number
  readonly delayMsMax: number
}

export const defaultRetry: RetryPolicy = {
  attempts: 3,
  firstDelayMs: 500,
  factor: 2,
  delayMsMax: 30_000,
}

/**
 * How long to wait before the next attempt, or undefined to give up. Full jitter between half and
 * the whole of the exponential delay, so that many runs do not come back at the same moment.
 */
export function retryDelayMs(
  policy: RetryPolicy,
  fault: Fault,
  attempt: number,
  chance: number,
): number | undefined {
  if (!fault.retryable || fault.code === 'rate-limited') return undefined
  if (attempt >= policy.attempts) return undefined
  const { firstDelayMs, factor, delayMsMax } = policy
  // Nothing stays nothing, also where the power has become infinite.
  const grown = firstDelayMs === 0 ? 0 : firstDelayMs * factor ** (attempt - 1)
  const whole = Math.min(delayMsMax, grown)
  return Math.round(whole / 2 + (chance * whole) / 2)
}
