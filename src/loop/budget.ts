/**
 * What a run may spend. Pure arithmetic over integers: tokens and micro-dollars.
 *
 * E4. Nothing is spent unless its worst case fitted beside what is spent and reserved already.
 */

/** An amount of tokens and money: spent, reserved, or left. */
export interface Amount {
  readonly tokens: number
  readonly costMicros: number
}

/** The limits of a run. They are checked before anything is spent. */
export interface Limits {
  readonly iterations: number
  readonly tokens: number
  readonly costMicros: number
  /** Time the run was at work; time it was suspended does not count. */
  readonly timeMs: number
  /** A moment after which nothing is started and whatever is under way is interrupted. */
  readonly deadlineAtMs?: number
  /** The same error this many times in a row ends the run. */
  readonly sameErrors: number
}

/** The limits of a run that sets none. */
export const defaultLimits: Limits = {
  iterations: 50,
  tokens: 2_000_000,
  costMicros: 5_000_000,
  timeMs: 8 * 3_600_000,
  sameErrors: 3,
}

/** What is left at this moment, as an iteration sees it. */
export interface Remaining extends Amount {
  readonly iterations: number
  readonly timeMs: number
}

export const zero: Amount = { tokens: 0, costMicros: 0 }

export const add = (a: Amount, b: Amount): Amount => ({
  tokens: a.tokens + b.tokens,
  costMicros: a.costMicros + b.costMicros,
})

export const subtract = (a: Amount, b: Amount): Amount => ({
  tokens: a.tokens - b.tokens,
  costMicros: a.costMicros - b.costMicros,
})

export const isZero = (a: Amount): boolean => a.tokens === 0 && a.costMicros === 0

/** The limit that a further worst case would break, if any. */
export function limitBroken(
  limits: Limits,
  committed: Amount,
  worst: Amount,
): 'tokens' | 'cost' | undefined {
  if (committed.tokens + worst.tokens > limits.tokens) return 'tokens'
  if (committed.costMicros + worst.costMicros > limits.costMicros) return 'cost'
  return undefined
}

/** Refuses amounts that would corrupt the ledger: negative, fractional or not a number. */
export function isAmount(a: Amount): boolean {
  return [a.tokens, a.costMicros].every((part) => Number.isSafeInteger(part) && part >= 0)
}
