/** When a failed step is retried. Pure: randomness is passed in as a number. */

import type { Fault } from './fault.ts'

/** How often, and after which delays, a step is retried after a retryable fault. */
export interface RetryPolicy {
  /** Total attempts, including the first. 1: no retries. */
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

/** The given values where they are numbers, otherwise the defaults. */
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
 * How long to wait before the next attempt, or undefined to give up. Jitter between half and the full
 * exponential delay, so that many runs do not retry at the same moment.
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
  // A delay of 0 stays 0 even if the power is infinite.
  const grown = firstDelayMs === 0 ? 0 : firstDelayMs * factor ** (attempt - 1)
  const whole = Math.min(delayMsMax, grown)
  return Math.round(whole / 2 + (chance * whole) / 2)
}

/**
 * When to call a rate-limiting provider again: at the time it names, and later each time if that time
 * turns out to be wrong (clocks that differ, a time in the past).
 */
export function windowOpensAtMs(fault: Fault, refusals: number, nowMs: number): number {
  const said = fault.retryAtMs ?? nowMs + 60_000
  const patience = refusals === 0 ? 0 : Math.min(60_000, 1000 * 2 ** Math.min(refusals - 1, 6))
  return Math.max(said, nowMs + patience)
}
