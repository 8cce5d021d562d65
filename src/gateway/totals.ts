/** The totals of a session, and the fault that they imply for the engine. */

import {
  type Amount,
  add,
  defined,
  FaultError,
  rateLimited,
  type SpendingLimitName,
  zero,
} from '../loop/index.ts'
import type { Divergence } from './replay.ts'
import { addUsage, noUsage, type TokenUsage } from './wire/usage.ts'

/** What a session has used and spent. */
export interface SessionTotals {
  readonly exchanges: number
  /** Requests sent to a provider. */
  readonly requests: number
  readonly usage: TokenUsage
  readonly spent: Amount
  /** Part of it is an estimate. */
  readonly isEstimated: boolean
  readonly waitedMs: number
  /** The current problem; cleared by a later successful exchange. */
  readonly trouble: SessionTrouble | undefined
  /** Where a replay first diverged from the recording. */
  readonly diverged: Divergence | undefined
}

export const troubleKinds = [
  'budget',
  'iteration-limit',
  'rate-limited',
  'not-allowed',
  'unknown-model',
  'too-long',
  'failed',
] as const

export type TroubleKind = (typeof troubleKinds)[number]

export interface SessionTrouble {
  readonly kind: TroubleKind
  readonly message: string
  /** For `budget`: the limit, and the agent whose limit it is. */
  readonly limit?: SpendingLimitName | undefined
  readonly agent?: string | undefined
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

export function addToTally(
  tally: Tally,
  usage: TokenUsage,
  spent: Amount,
  isEstimated: boolean,
): void {
  tally.usage = addUsage(tally.usage, usage)
  tally.spent = add(tally.spent, spent)
  tally.isEstimated ||= isEstimated
}

/** For an agent that failed: the underlying fault, if the gateway knows it. */
export function faultOf({ trouble, diverged }: SessionTotals): FaultError | undefined {
  if (diverged !== undefined) {
    const message = `The replay diverged from the recording. ${diverged.message}`
    return new FaultError({ code: 'diverged', message, retryable: false, fatal: true })
  }
  if (trouble === undefined) return undefined
  const { kind, message, limit, agent, rateLimitedUntilMs } = trouble
  switch (kind) {
    case 'budget': {
      const which = defined({ limit, agent })
      return new FaultError({ code: 'budget', message, retryable: false, ...which })
    }
    case 'iteration-limit':
      return new FaultError({ code: kind, message, retryable: false })
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
