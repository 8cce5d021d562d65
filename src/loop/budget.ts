/**
 * What a run may spend. Pure arithmetic over integers: tokens and micro-dollars.
 *
 * E4. Nothing is spent unless its worst case fits on top of what is already spent and reserved.
 */

/** An amount of tokens and money: spent, reserved or remaining. */
export interface Amount {
  readonly tokens: number
  readonly costMicros: number
}

/** The limits of a run. They are checked before anything is spent. */
export interface Limits {
  readonly iterations: number
  readonly tokens: number
  readonly costMicros: number
  /** Time the run was active; time it was suspended does not count. */
  readonly timeMs: number
  /** After this time nothing is started, and work in progress is interrupted. */
  readonly deadlineAtMs?: number
  /** The same error this many times in a row ends the run. */
  readonly sameErrors: number
}

/** Limits of a run that does not set its own. */
export const defaultLimits: Limits = {
  iterations: 50,
  tokens: 2_000_000,
  costMicros: 5_000_000,
  timeMs: 8 * 3_600_000,
  sameErrors: 3,
}

/** What remains of the limits now, as an iteration sees it. */
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

/** The limit that one more worst case would exceed, if any. */
export function findExceededLimit(
  limits: Limits,
  committed: Amount,
  worst: Amount,
): 'tokens' | 'cost' | undefined {
  if (committed.tokens + worst.tokens > limits.tokens) return 'tokens'
  if (committed.costMicros + worst.costMicros > limits.costMicros) return 'cost'
  return undefined
}

/** False for amounts that would corrupt the ledger: negative, fractional or not a number. */
export function isAmount(a: Amount): boolean {
  return [a.tokens, a.costMicros].every((part) => Number.isSafeInteger(part) && part >= 0)
}
