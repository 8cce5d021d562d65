/**
 * What a run may spend. Pure arithmetic over integers: tokens and micro-dollars.
 *
 * E4. Nothing is spent unless its worst case fits on top of what is already spent and reserved.
 */

/** An amount of tokens and money: spent, reserved or remaining. */
export interface Amount {
  /** Input and output together. */
  readonly tokens: number
  readonly costMicros: number
  /** The part of the tokens that a model wrote. Absent: unknown; all of them count as input. */
  readonly outputTokens?: number
}

/** The limits of a run. They are checked before anything is spent. */
export interface Limits {
  readonly iterations: number
  readonly tokens: number
  /** Absent: only the limit of all tokens applies. */
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly costMicros: number
  /** Time the run was active; time it was suspended does not count. */
  readonly timeMs: number
  /** After this time nothing is started, and work in progress is interrupted. */
  readonly deadlineAtMs?: number
  /** The same error this many times in a row ends the run. */
  readonly sameErrors: number
  /** Limits of each iteration. Reaching one ends the iteration, not the run. */
  readonly iteration?: IterationLimits
  /** Limits of each agent, by role. Reaching one ends the run. */
  readonly agents?: { readonly [role: string]: AgentLimits }
  /** The share of a limit at which the run warns, from 0.5 to 0.95. Default: 0.8. */
  readonly warnAt?: number
}

/** The limits of one iteration. */
export interface IterationLimits {
  readonly tokens?: number
  readonly costMicros?: number
  readonly timeMs?: number
}

/** The limits of one agent over the whole run. */
export interface AgentLimits {
  /** How often the loop may call it. */
  readonly calls?: number
  readonly tokens?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly costMicros?: number
}

export const defaultWarnAt = 0.8

/** Limits of a run that does not set its own. */
export const defaultLimits: Limits = {
  iterations: 50,
  tokens: 2_000_000,
  costMicros: 5_000_000,
  timeMs: 8 * 3_600_000,
  sameErrors: 3,
}

/**
 * What remains of the limits now, as an iteration or an agent sees it: of the run, of the open iteration and of the
 * agent, whichever is least.
 */
export interface Remaining extends Amount {
  readonly iterations: number
  readonly timeMs: number
  /** Absent: there is no separate limit. */
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** What the run has spent and reserved. Absent: unknown. */
  readonly committed?: Amount
  /** The limits of the run. Absent: unknown. */
  readonly limits?: AmountLimits
}

export const zero: Amount = { tokens: 0, costMicros: 0 }

export const outputTokensOf = ({ outputTokens = 0 }: Amount): number => outputTokens

export const inputTokensOf = (amount: Amount): number => amount.tokens - outputTokensOf(amount)

export const add = (a: Amount, b: Amount): Amount => ({
  tokens: a.tokens + b.tokens,
  costMicros: a.costMicros + b.costMicros,
  ...output(a, b, outputTokensOf(a) + outputTokensOf(b)),
})

export const subtract = (a: Amount, b: Amount): Amount => ({
  tokens: a.tokens - b.tokens,
  costMicros: a.costMicros - b.costMicros,
  ...output(a, b, outputTokensOf(a) - outputTokensOf(b)),
})

/** Unknown as long as it is unknown of both. */
const output = (a: Amount, b: Amount, sum: number): Pick<Amount, 'outputTokens'> =>
  a.outputTokens === undefined && b.outputTokens === undefined ? {} : { outputTokens: sum }

export const isZero = (a: Amount): boolean => a.tokens === 0 && a.costMicros === 0

/** The limits of an amount: those of a run, an iteration or an agent. */
export type AmountLimits = Pick<
  AgentLimits,
  'tokens' | 'inputTokens' | 'outputTokens' | 'costMicros'
>

const amountLimitNames = ['tokens', 'input-tokens', 'output-tokens', 'cost'] as const

export type AmountLimitName = (typeof amountLimitNames)[number]

/** A limit of spending: an amount, or the number of calls of an agent. */
export type SpendingLimitName = AmountLimitName | 'calls'

export const spendingLimitNames: readonly SpendingLimitName[] = [...amountLimitNames, 'calls']

export const isSpendingLimit = (name: unknown): name is SpendingLimitName =>
  spendingLimitNames.some((one) => one === name)

/** The limit that is used up, if any. */
export function findReachedLimit(limits: AmountLimits, used: Amount): AmountLimitName | undefined {
  const { tokens, inputTokens, outputTokens, costMicros } = limits
  if (tokens !== undefined && used.tokens >= tokens) return 'tokens'
  if (inputTokens !== undefined && inputTokensOf(used) >= inputTokens) return 'input-tokens'
  if (outputTokens !== undefined && outputTokensOf(used) >= outputTokens) return 'output-tokens'
  if (costMicros !== undefined && used.costMicros >= costMicros) return 'cost'
  return undefined
}

/** The limit that one more worst case would exceed, if any. */
export function findExceededLimit(
  limits: AmountLimits,
  committed: Amount,
  worst: Amount,
): AmountLimitName | undefined {
  const { tokens, inputTokens, outputTokens, costMicros } = limits
  const after = add(committed, worst)
  if (tokens !== undefined && after.tokens > tokens) return 'tokens'
  if (inputTokens !== undefined && inputTokensOf(after) > inputTokens) return 'input-tokens'
  if (outputTokens !== undefined && outputTokensOf(after) > outputTokens) return 'output-tokens'
  if (costMicros !== undefined && after.costMicros > costMicros) return 'cost'
  return undefined
}

/** False for amounts that would corrupt the ledger: negative, fractional or not a number. */
export function isAmount(a: Amount): boolean {
  const parts = [a.tokens, a.costMicros, outputTokensOf(a)]
  return (
    parts.every((part) => Number.isSafeInteger(part) && part >= 0) && outputTokensOf(a) <= a.tokens
  )
}
