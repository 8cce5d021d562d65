/**
 * What a tuning loop knows, as a union of its phases: a phase has what the phases before it found, and nothing else. This is
 * the progress of the run, so every iteration of the engine is one step of the protocol.
 *
 *   setup ─▶ interrogation ─▶ planning ─▶ calibration ─▶ baseline ─▶ iteration 1, 2, … ─▶ synthesis ─▶ ended
 *                                              │
 *                                              └─▶ aborted
 */

import type { CommandReport } from '../../loop/step/command-task.ts'
import type { CapturedText } from './captured-text.ts'
import type { Option } from './compose/option.ts'
import type { Regressions } from './measure/check-regressions.ts'
import type { FailureKind } from './measure/failure-kind.ts'
import type { HoldoutResult } from './measure/holdout-seal.ts'
import type { TuneMode } from './modes.ts'
import type { Plan } from './plan/plan.ts'
import type { LogEntry } from './report/log-entry.ts'
import type { Configuration } from './search/knobs.ts'
import type { Search } from './search/search.ts'
import type { DropReason } from './statistics/candidate.ts'
import type { Estimate, Interval } from './statistics/estimate.ts'
import type { NoiseFloor } from './statistics/noise-floor.ts'
import type { ProofDecision } from './statistics/proof.ts'
import type { SuiteScores } from './statistics/scores.ts'
import type { Version, Workload } from './workload/workload.ts'

export type TuneState = { readonly log: readonly LogEntry[] } & (
  | { readonly phase: 'setup' }
  | { readonly phase: 'interrogation' }
  | ({ readonly phase: 'planning' } & SetUp)
  | ({ readonly phase: 'calibration' } & SetUp & { readonly attempts: readonly Attempt[] })
  | ({ readonly phase: 'baseline' } & Calibrated)
  | ({ readonly phase: 'iteration' } & Looping)
  | ({ readonly phase: 'synthesis' } & Looping & { readonly exit: ExitReason })
  | ({ readonly phase: 'ended' } & Ended)
  | { readonly phase: 'aborted'; readonly reason: string }
)

export type TunePhase = TuneState['phase']

export interface SetUp {
  readonly workload: Workload
  readonly mode: TuneMode
  readonly manifestDigest: string
  /** Manifests that passed a calibration, by their digest: one of them may skip it. */
  readonly passes: readonly string[]
  readonly plan?: Plan
  /** What a person said about each topic of the interrogation. */
  readonly topics: { readonly [topic: string]: string }
  /** Documents of the project: data for the composer, never instructions. */
  readonly documents: readonly CapturedText[]
  /** What a log that is continued knows. Absent: nothing is continued. */
  readonly carried?: Carried
  /** Files of the interrogation that are saved once the calibration passed. */
  readonly unsaved: readonly CapturedText[]
}

/** From the log of an earlier loop: its record, and what it kept, which is measured again first. */
export interface Carried {
  readonly trail: readonly IterationRecord[]
  readonly candidates: readonly Candidate[]
}

/** A calibration that failed. */
export interface Attempt {
  readonly case: string
  readonly failure: CalibrationFailure
}

export interface CalibrationFailure {
  readonly at:
    | 'runCommand'
    | 'outputPath'
    | 'evaluateCommand'
    | 'reviewCommand'
    | 'reviewer'
    | 'buildCommand'
  readonly reason: string
}

export interface Calibrated extends SetUp {
  readonly calibration: { readonly case: string; readonly attempt: number }
}

export interface Measured extends Calibrated {
  readonly baseline: Baseline
}

export interface Baseline {
  readonly scores: SuiteScores
  /** Cases of which every repeat passed. */
  readonly passing: readonly string[]
  readonly critiques: readonly CaseCritique[]
  readonly repeats: number
  /** Absent: too few runs were scored. */
  readonly noise?: NoiseFloor
  /** The smallest gain that the proof finds in four of five loops. */
  readonly visibleGain: number
}

/** The last thing that was said about a case. */
export interface CaseCritique {
  readonly id: string
  readonly text: string
  /** Absent: nothing was classified. */
  readonly kind?: FailureKind
}

export interface Looping extends Measured {
  /** The best version so far, and all that is known of it. */
  readonly incumbent: Incumbent
  /** What the next RUN measures: the edit of the iteration before. Several: they are raced. */
  readonly candidates: readonly Candidate[]
  readonly trail: readonly IterationRecord[]
  /** How many of them an earlier loop made. Absent: none. */
  readonly carriedIterations?: number
  readonly search?: SearchState
}

export interface SearchState {
  readonly search: Search
  /** What was offered before: never again. */
  readonly tried: readonly Configuration[]
}

export interface Incumbent {
  readonly version: Version
  readonly scores: SuiteScores
  readonly passing: readonly string[]
  readonly critiques: readonly CaseCritique[]
}

export interface Candidate {
  readonly option: Option
  readonly version: Version
}

/** One trip of the cycle. */
export interface IterationRecord {
  readonly iteration: number
  /** What was expected of the edit of the iteration before. */
  readonly hypothesis: Hypothesis
  /** What its RUN found. Absent: there was nothing to measure. */
  readonly measured?: MeasuredEdit
  /** Absent: the loop ended before it was asked for options, or none was left. */
  readonly decision?: Decision
  readonly passing: Tally
  readonly best: Best
}

/** The best version after an iteration, as measured: not a claim. */
export interface Best {
  readonly passing: Tally
  readonly mean: number
  /** Against the baseline, with the interval of a proof. Absent: nothing is comparable. */
  readonly gain?: Interval & { readonly delta: number }
}

export interface Hypothesis {
  readonly statement: string
  readonly prediction: string
  /** Cases that should improve. */
  readonly improves: readonly string[]
  readonly outcome: 'untested' | 'confirmed' | 'partially-confirmed' | 'rejected'
}

export interface MeasuredEdit {
  readonly options: readonly MeasuredOption[]
  readonly flips: Flips
  /** Cases that its reruns found worse, and those that they could not decide. Absent: only the log of it is known. */
  readonly broken?: readonly string[]
  readonly suspect?: readonly string[]
}

export interface MeasuredOption {
  readonly option: Option
  readonly result: /** Without an estimate: an earlier loop kept it, and only its log is known. */
    | { readonly type: 'kept'; readonly estimate?: Estimate }
    | { readonly type: 'dropped'; readonly reason: DropReason; readonly estimate?: Estimate }
}

/** Of the option that was kept, else of the one that was measured longest: ids of cases. */
export interface Flips {
  readonly fixed: readonly string[]
  readonly regressed: readonly string[]
  readonly stillFailing: readonly string[]
  /** Passed before, and still do. */
  readonly unchanged: readonly string[]
}

export type Decision =
  | { readonly type: 'picked'; readonly option: string; readonly by: 'person' | 'policy' }
  | { readonly type: 'raced'; readonly options: readonly string[] }
  | { readonly type: 'skipped' }

export interface Tally {
  readonly passing: number
  readonly of: number
}

export const exitReasons = [
  'converged',
  'max-iterations',
  'plateau',
  'net-negative',
  'no-options-left',
  'regression',
  'stopped',
  /** What is left of the budget is for the proof. */
  'budget',
] as const

export type ExitReason = (typeof exitReasons)[number]

export interface Ended extends Looping {
  readonly exit: ExitReason
  /** Absent: nothing was kept, so there is nothing to prove. */
  readonly proof?: ProofDecision
  /** Cases that look worse in the fresh runs of the proof. */
  readonly regressions: Regressions
  readonly holdout: HoldoutResult
  readonly applied: 'applied' | 'refused' | 'nothing'
}

export const emptyState: TuneState = { phase: 'setup', log: [] }

/** Why a command of the loop says nothing about the work. Undefined: it does. */
export function infrastructureProblem({
  ended,
  exitCode,
  problem,
}: CommandReport): string | undefined {
  if (ended === 'unavailable' || ended === 'denied') return problem ?? ended
  if (ended === 'signal' && problem === undefined) return 'it was killed by a signal'
  if (exitCode === 127) return 'a program of the command was not found (exit code 127)'
  if (exitCode === 126) return 'a program of the command cannot be executed (exit code 126)'
  return undefined
}
