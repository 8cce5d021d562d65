/** What a session came to, and what of it the engine has to know. */

import { type Amount, add, defined, FaultError, rateLimited, zero } from '../loop/index.ts'
import type { Divergence } from './replay.ts'
import { addUsage, noUsage, type TokenUsage } from './usage.ts'

/** What a session has used and spent. */
export interface SessionTotals {
  readonly exchanges: number
  /** Requests that were sent to a provider. */
  readonly requests: number
  readonly usage: TokenUsage
  readonly spent: Amount
  /** Some of it is an estimate. */
  readonly isEstimated: boolean
  readonly waitedMs: number
  /** What stands in the way, unless a later exchange went well. */
  readonly trouble: SessionTrouble | undefined
  /** Where a replay left the record, the first time. */
  readonly diverged: Divergence | undefined
}

export interface SessionTrouble {
  readonly kind: 'budget' | 'rate-limited' | 'not-allowed' | 'unknown-model' | 'too-long' | 'failed'
  readonly message: string
  readonly limit?: 'tokens' | 'cost' | undefined
  readonly rateLimitedUntilMs?: number | undefined
}

export interface Tally extends SessionTotals {
  exchanges: number
  requests: number
  usage: TokenUsage
  spent: Amount
  isEstimated: boolean
  waitedMs: number
  trouble: SessionTrouble | undefined
  diverged: Divergence | undefined
}

export const emptyTally = (): Tally => ({
  exchanges: 0,
  requests: 0,
  usage: noUsage,
  spent: zero,
  isEstimated: false,
  waitedMs: 0,
  trouble: undefined,
  diverged: undefined,
})

export function count(tally: Tally, usage: TokenUsage, spent: Amount, isEstimated: boolean): void {
  tally.usage = addUsage(tally.usage, usage)
  tally.spent = add(tally.spent, spent)
  tally.isEstimated ||= isEstimated
}

/** For an agent that failed: the fault behind it, when the gateway knows it. */
export function faultOf({ trouble, diverged }: SessionTotals): FaultError | undefined {
  if (diverged !== undefined) {
    const message = `The replay left the record. ${diverged.message}`
    return new FaultError({ code: 'diverged', message, retryable: false, fatal: true })
  }
  if (trouble === undefined) return undefined
  const { kind, message, limit, rateLimitedUntilMs } = trouble
  switch (kind) {
    case 'budget': {
      const which = defined({ limit })
      return new FaultError({ code: 'budget', message, retryable: false, ...which })
    }
    case 'rate-limited':
      return rateLimited(message, rateLimitedUntilMs ?? 0)
    case 'not-allowed':
      return new FaultError({ code: 'provider-denied', message, retryable: false, fatal: true })
    case 'unknown-model':
      return new FaultError({ code: 'unknown-model', message, retryable: false, fatal: true })
    case 'too-long':
      return new FaultError({ code: 'provider-refused', message, retryable: false })
    case 'failed':
      return new FaultError({ code: 'provider-failed', message, retryable: true })
  }
}
