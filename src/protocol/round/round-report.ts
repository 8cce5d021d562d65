/**
 * The report of a round: what maker and checker said, what the gate decided, what it cost, and how it ended. It is the
 * result of the step with the role `round-report`.
 *
 * A round without this report has not ended by itself: its run was interrupted, cancelled, or reached a limit of time.
 */

import type { CertificateId, Finding, Level } from '../../loop/index.ts'
import type { Opinion } from '../verdict.ts'

export type RoundAgentStatus = 'done' | 'done-with-concerns' | 'blocked' | 'needs-context'

/** What a maker or checker reported. A claim. */
export interface RoundAgent {
  readonly status: RoundAgentStatus
  /** Its turns. */
  readonly iterations: number
  /** Absent: it reported no text. */
  readonly text?: string
}

/** With its verdict, parsed from its text. An answer in any other form is unclear. */
export interface RoundChecker extends RoundAgent {
  readonly verdict: Opinion
  readonly reasons: readonly Finding[]
}

/** The limit of the budget that was exceeded. */
export type RoundBudgetLimit = 'input-tokens' | 'output-tokens' | 'total-tokens' | 'cost'

/** How a round ended. */
export type RoundOutcome =
  /** It investigated, and its finding is the report. Nothing was applied. Always the outcome of L1. */
  | { readonly type: 'reported' }
  /** The gate allowed a verified proposal, and its action was performed. */
  | { readonly type: 'proceeded' }
  /** A person has to decide. */
  | { readonly type: 'escalated'; readonly reason: string }
  | { readonly type: 'budget-exhausted'; readonly limit: RoundBudgetLimit }
  /** Sandbox, maker, checker or executor failed. */
  | { readonly type: 'failed'; readonly error: string }

/** The action that a round proposed. */
export interface RoundProposal {
  readonly kind: string
  readonly summary: string
  /** The same as `verified` of the report, as the gate saw it. */
  readonly verified: boolean
}

/** What the gate decided, also at L1, where nothing follows from it. */
export type RoundDecision =
  | { readonly type: 'auto-proceed'; readonly rule?: string }
  /** `isDenied`: a person cannot allow it either, because a policy forbids it or the gate denied it. */
  | {
      readonly type: 'escalate'
      readonly reason: string
      readonly rule?: string
      readonly isDenied?: true
    }

/** What the executor of its action did. */
export interface RoundReceipt {
  readonly kind: string
  readonly summary: string
}

/** What the work of a round is worth, and why. */
export type RoundVerification =
  /** The checker passed, and no file changed, so there is nothing to certify: its word is all there is. */
  | { readonly type: 'checker' }
  /** Files changed, the checker passed, and the work is certified. */
  | { readonly type: 'certified'; readonly certificate: CertificateId }
  | { readonly type: 'unverified'; readonly reason: string }

/** The report of a round. */
export interface RoundReport {
  readonly loop: string
  readonly intent: string
  readonly level: Level
  /** The name of the run. */
  readonly run: string
  readonly outcome: RoundOutcome
  /** Absent: it did not work, or it failed. */
  readonly maker?: RoundAgent
  readonly checker?: RoundChecker
  /** What the gate was asked about. Absent: it was not asked. */
  readonly proposed?: RoundProposal
  readonly decision?: RoundDecision
  readonly action?: RoundReceipt
  readonly verified: RoundVerification
  readonly inputTokens: number
  readonly outputTokens: number
  /** Files that differ from the base, at most a thousand. */
  readonly filesChanged: readonly string[]
  /** Where the work is. Absent: nothing changed, or the round did not work in a worktree. */
  readonly branch?: string
  /** The ids of the facts that the maker was given. */
  readonly recalled: readonly string[]
  /** What did not work but did not stop the round, such as its memory. */
  readonly warnings: readonly string[]
  readonly startedAtMs: number
  readonly endedAtMs: number
}

/** The name of the loop type whose runs are rounds. */
export const roundLoopType = 'round'

/** The role of the step whose result is the report. */
export const roundReportRole = 'round-report'
