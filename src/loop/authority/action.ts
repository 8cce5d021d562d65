/** What is known about an action besides the action itself: what its gate saw, and its result. */

import type { Amount } from '../budget.ts'
import type { StepId } from '../ids.ts'
import type { Json } from '../json.ts'
import type { QuestionEvidence } from '../question.ts'
import type { Level } from './level.ts'

/** A change outside the workspace. */
export interface Action {
  readonly kind: string
  readonly summary: string
  readonly details?: Json
}

/** What an action did. */
export interface Receipt {
  readonly status: 'done' | 'refused' | 'skipped'
  readonly summary: string
  readonly details?: Json
}

/** What a gate knows about the run when it judges an action. */
export interface ActionFacts {
  readonly level: Level
  /**
   * The current files are certified. If no file differs from the base, there is nothing to certify, and it is what the
   * loop says about its own checks.
   */
  readonly verified: boolean
  /** Paths that were changed since the base. */
  readonly files: readonly string[]
  readonly spent: Amount
  /** Changed paths outside of the scope. Absent: the scope is unknown. */
  readonly outsideScope?: readonly string[]
  /** The rules of the policy that permit it. Absent: no policy applies. */
  readonly policy?: readonly string[]
}

/** Options of `judge`. */
export interface JudgeOptions {
  /**
   * The loop's own checks of its result passed. Never enough where files changed: they have to be certified. Default:
   * only a certificate counts.
   */
  readonly checked?: boolean
}

/** What a gate decided about an action, and the step of its decision. */
export interface Judged extends GateRecord {
  readonly step: StepId
}

/** Options of `act`. */
export interface ActOptions {
  /** What `judge` returned about this action in this iteration: the gate is not asked again. */
  readonly judged?: Judged
  /** Why a person has to allow it even if the gate does. Absent: the gate decides. */
  readonly ask?: string
  /** What a person sees if they are asked, besides the action and the reason. */
  readonly evidence?: QuestionEvidence
  /** What a later proposal of the same loop has to be about to replace this one. Absent: none does. */
  readonly about?: string
  /** How long a person may take. Default: 24 hours. */
  readonly deadlineMs?: number
  /**
   * Called once it is allowed, before it is performed; it may request steps. Returns why it must not be performed any
   * more; undefined: it may. Only for loops whose code runs in this process.
   */
  readonly beforeActing?: () => Promise<string | undefined>
}

/** The result of a gate, as the journal keeps it: with what was proposed and what the gate saw. */
export interface GateRecord {
  readonly type: 'allow' | 'deny' | 'ask'
  readonly reason?: string
  /** What decided: `allow-list`, `policy`, … */
  readonly rule?: string
  /** The rules of the policy that decided. Absent: no policy applies. */
  readonly policy?: readonly string[]
  /** Absent in earlier journals. */
  readonly action?: Action
  readonly facts?: RecordedFacts
}

/** The facts, with counts instead of long lists. */
export interface RecordedFacts {
  readonly level: Level
  readonly verified: boolean
  readonly filesChanged: number
  readonly tokens: number
  readonly costMicros: number
  /** At most the first ten. */
  readonly outsideScope?: readonly string[]
}

export type ActionStatus = 'refused' | 'started' | 'done' | 'failed' | 'unknown' | 'escaped'

/** Who or what allowed an action. */
export interface Permission {
  readonly by: 'rule' | 'person'
  /** The rule, or the person. */
  readonly name: string
}

/**
 * An action that a person requested for a run that no process drives, such as a merge; or what became known about any
 * action later. One event for each status that it reached.
 */
export interface ActionRecorded {
  readonly type: 'action-recorded'
  /** The idempotency key of the action. */
  readonly key: string
  /** `escaped`: it was performed and turned out to be wrong, for example reverted. */
  readonly status: ActionStatus
  readonly kind: string
  /** Present in the first event about it, except for `escaped`. */
  readonly action?: Action
  readonly permission?: Permission
  /** The rules of the policy that decided. Absent: no policy applies. */
  readonly policy?: readonly string[]
  readonly receipt?: Receipt
  /** Why it was refused, failed, is unknown, or escaped. */
  readonly reason?: string
  /** Who requested it or reported it. */
  readonly requestedBy?: string
}
