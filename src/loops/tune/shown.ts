/** What an iteration of the engine has shown before it returns: the evidence that its phase may be left. */

import type { LogEntry } from './report/log-entry.ts'
import type { TunePhase } from './tune-state.ts'

export interface Shown {
  /** In the order of the journal. */
  readonly entries: readonly LogEntry[]
  /** Phases that were left with their proof. */
  readonly proofs: readonly string[]
  readonly gates: readonly GateDecision[]
}

/** What was decided at a gate. The same phase: it is not left. */
export interface GateDecision {
  readonly from: TunePhase
  readonly to: TunePhase
  readonly by: 'person' | 'policy'
  readonly choice: string
}
