/** What a loop notes as it works: the entries of `LOOP_LOG.md`, as data. None is ever changed or removed. */

import type { Option } from '../compose/option.ts'
import type { TuneMode } from '../modes.ts'
import type { Plan } from '../plan/plan.ts'
import type { CalibrationFailure, ExitReason, Hypothesis, Tally } from '../tune-state.ts'

export type LogEntry = {
  /** When it was made. Absent: unknown. */
  readonly atMs?: number
} & (
  | {
      readonly type: 'session-started'
      readonly workload: string
      readonly manifest: string
      readonly manifestDigest: string
      readonly mode: TuneMode
      readonly cases: readonly string[]
    }
  /** A question, and who answered it how. */
  | {
      readonly type: 'interaction'
      readonly question: string
      readonly text: string
      readonly answer: string
      readonly by: string
    }
  | { readonly type: 'plan'; readonly plan: Plan; readonly by: 'person' | 'policy' }
  | {
      readonly type: 'calibration-passed'
      readonly case: string
      readonly attempt: number
      readonly manifestDigest: string
    }
  | {
      readonly type: 'calibration-failed'
      readonly case: string
      readonly attempt: number
      readonly failure: CalibrationFailure
    }
  | ({ readonly type: 'hypothesis'; readonly iteration: number } & Omit<Hypothesis, 'outcome'>)
  | {
      readonly type: 'experiment'
      readonly iteration: number
      readonly what: string
      readonly runs: number
      /** What kept runs from being scored. */
      readonly infrastructure: readonly string[]
    }
  | {
      readonly type: 'critique'
      readonly iteration: number
      readonly passing: Tally
      readonly failing: readonly { readonly id: string; readonly text: string }[]
    }
  | {
      readonly type: 'composer-analysis'
      readonly iteration: number
      readonly rootCause: string
      readonly options: readonly Option[]
    }
  | {
      readonly type: 'decision'
      readonly iteration: number
      readonly chosen: readonly string[]
      readonly by: 'person' | 'policy'
      readonly reason?: string
    }
  | { readonly type: 'edit-applied'; readonly iteration: number; readonly option: Option }
  | {
      readonly type: 'iteration-result'
      readonly iteration: number
      readonly verdict: string
      readonly passing: Tally
      /** The option that was kept. Absent: none. */
      readonly kept?: string
      readonly fixed: readonly string[]
      readonly regressed: readonly string[]
      readonly hypothesis: Hypothesis['outcome']
    }
  | {
      readonly type: 'metrics'
      readonly iteration: number
      readonly mean: number
      readonly passing: Tally
      /** Against the baseline. */
      readonly gain: number
    }
  | {
      readonly type: 'regression-detected'
      readonly iteration: number
      readonly cases: readonly string[]
      readonly answer: string
    }
  | { readonly type: 'insight'; readonly iteration: number; readonly text: string }
  /** Something for later: no part of this loop. */
  | { readonly type: 'parking-lot'; readonly iteration: number; readonly text: string }
  /** Something kept the loop from working as it should. */
  | { readonly type: 'block'; readonly iteration: number; readonly text: string }
  | {
      readonly type: 'iteration-complete'
      readonly iteration: number
      readonly exit?: ExitReason
    }
)
