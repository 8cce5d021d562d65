/** When a failed step is tried again. Pure: chance comes in as a number. */

import type { Fault } from './fault.ts'

/** How often, and after which pauses, a step is tried again after a retryable fault. */
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

/** What was said, where it is a number; the default otherwise. */
export function retryPolicy(said: Partial<RetryPolicy> | undefined): RetryPolicy {
  const pick = (name: keyof RetryPolicy): number => {
    const value = said?.[name]
    return typeof value === 'number' && value >= 0 && Number.isFinite(value)
      ? value
      : defaultRetry[name]
  }
  return {
    attempts: pick('attempts'),
    firstDelayMs: pick('firstDelayMs'),
    factor: pick('factor'),
    delayMsMax: pick('delayMsMax'),
  }
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

/**
 * When a provider that said "not now" is asked again: when it says so, and later each time where its
 * word turns out to be no good (a clock that differs, a moment that has passed).
 */
export function windowOpensAtMs(fault: Fault, refusals: number, nowMs: number): number {
  const said = fault.retryAtMs ?? nowMs + 60_000
  const patience = refusals === 0 ? 0 : Math.min(60_000, 1000 * 2 ** Math.min(refusals - 1, 6))
  return Math.max(said, nowMs + patience)
}
