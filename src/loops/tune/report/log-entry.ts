/** What a loop notes as it works: the entries of `LOOP_LOG.md`, as data. None is ever changed or removed. */

import type { Option } from '../compose/option.ts'
import type { CalibrationFailure, ExitReason, Hypothesis, Tally } from '../tune-state.ts'

export type LogEntry =
  | { readonly type: 'calibration-passed'; readonly case: string; readonly attempt: number }
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
  | {
      readonly type: 'iteration-complete'
      readonly iteration: number
      readonly exit?: ExitReason
    }
