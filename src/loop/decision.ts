/** What a person, or a program on their behalf, decides about a run. Applied exactly once (E11). */

import type { LinePlace } from './authority/guidance.ts'
import type { Limits } from './budget.ts'
import type { Json } from './json.ts'

/**
 * What a person decides about a run: pause, resume, stop, cancel, change its limits, tell it something, or answer a
 * question.
 */
export type Decision =
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** End after the current iteration. */
  | { readonly type: 'stop'; readonly reason: string }
  /** End now. */
  | { readonly type: 'cancel'; readonly reason: string }
  | {
      readonly type: 'change-limits'
      readonly limits: Partial<Limits>
      readonly reason?: string
    }
  /** Reaches the agent before its next model call, or the context of the next iteration. */
  | { readonly type: 'tell'; readonly text: string; readonly at?: LinePlace }
  | AnswerDecision

export interface AnswerDecision {
  readonly type: 'answer'
  readonly question: string
  /** The option that is chosen, or free text where there are none. */
  readonly answer: string
  /** Absent: the option itself was chosen. */
  readonly kind?: AnswerKind
  /** With `respond`: what the person says. It reaches the context of the next agent. */
  readonly text?: string
  /** With `edit`: the edited value. */
  readonly value?: Json
}

/** Who decides: an identity, and the name that the request claimed if it differs. */
export type Decider = string | { readonly name: string; readonly claimed?: string }

/** How a person answers: agree, agree with changes, say something, or refuse. */
export type AnswerKind = 'accept' | 'edit' | 'respond' | 'reject'

/** A decision as the journal stores it. Decisions are kept in the order in which they were made. */
export interface StoredDecision {
  readonly id: number
  /** The identity of the token, or the local user. */
  readonly by: string
  /** The name that the request claimed, if it differs. Only recorded. */
  readonly claimedBy?: string
  readonly atMs: number
  readonly decision: Decision
}
