/** What a person, or a program in a person's place, tells a run. Applied exactly once (E11). */

import type { Limits } from './budget.ts'

/** What a person decides about a run: pause, resume, stop, cancel, change its limits, or answer a question. */
export type Decision =
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** End after the iteration under way. */
  | { readonly type: 'stop'; readonly reason: string }
  /** End now. */
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'change-limits'; readonly limits: Partial<Limits> }
  | { readonly type: 'answer'; readonly question: string; readonly answer: string }

/** A decision as the journal keeps it, in the order in which they were made. */
export interface StoredDecision {
  readonly id: number
  readonly by: string
  readonly atMs: number
  readonly decision: Decision
}
