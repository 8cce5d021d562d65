/**
 * A tuning loop as a page or a terminal shows it: plain data, complete in one value. Iteration N measures the edit that iteration
 * N-1 decided on, so what became of an option of round N is in the flips of iteration N+1.
 */

export const tunePhases = [
  'setup',
  'interrogation',
  'planning',
  'calibration',
  'baseline',
  'iteration',
  'synthesis',
  'ended',
  'aborted',
] as const

/** What an iteration did to a case. */
export const flips = ['fixed', 'regressed', 'still-failing', 'unchanged'] as const
export type Flip = (typeof flips)[number]

export interface TuneView {
  readonly run: string
  readonly phase: (typeof tunePhases)[number]
  readonly mode: string
  /** What it is about to do, or did last, in its own words. */
  readonly intent?: string
  readonly workload?: ViewedWorkload
  /** Absent: not measured yet. */
  readonly noise?: ViewedNoise
  readonly best?: ViewedBest
  /** The best version after each iteration; 0 is the baseline. */
  readonly history: readonly ViewedPoint[]
  readonly matrix: ViewedMatrix
  readonly hypotheses: readonly ViewedHypothesis[]
  /** The newest is open while its decision is absent. */
  readonly rounds: readonly ViewedRound[]
  readonly holdout: ViewedHoldout
  /** Absent: not proven yet, or nothing was kept. */
  readonly proof?: ViewedClaim
  /** Cases that the fresh runs of the proof found worse, and those that they could not decide. */
  readonly broken: readonly string[]
  readonly suspect: readonly string[]
  /** Why the cycle ended, or why the loop was aborted. */
  readonly exit?: string
  /** What became of the user's files. */
  readonly applied?: 'applied' | 'refused' | 'nothing'
}

export interface ViewedWorkload {
  readonly id: string
  readonly manifest: string
  readonly artifacts: readonly string[]
  /** How many are measured in iterations, sealed, and left out. */
  readonly cases: { readonly suite: number; readonly sealed: number; readonly excluded: number }
  readonly excluded: readonly { readonly id: string; readonly reason: string }[]
  readonly maxIterations: number
}

export interface ViewedNoise {
  /** How often each case of the baseline ran. */
  readonly repeats: number
  /** Standard deviation of the difference of two passes over the suite, 0 to 1. Absent: unknown. */
  readonly passDeviation?: number
  readonly flaky: readonly string[]
  /** The smallest gain that the proof finds in four of five loops, 0 to 1. */
  readonly visibleGain: number
  readonly text: string
}

export interface ViewedTally {
  readonly passing: number
  readonly of: number
}

/** A difference of mean scores, -1 to 1, never without its interval. */
export interface ViewedGain {
  readonly delta: number
  readonly low: number
  readonly high: number
  /** Of the interval, 0 to 1. */
  readonly confidence: number
}

export interface ViewedPoint {
  readonly iteration: number
  readonly passing: ViewedTally
  /** Mean score, 0 to 1. */
  readonly mean: number
  /** Against the baseline, as measured: not a claim. Absent: there is nothing to compare. */
  readonly gain?: ViewedGain
}

export interface ViewedBest extends ViewedPoint {
  /** `kept`: kept, not proven. The others are what the proof said. */
  readonly label: 'baseline' | 'kept' | 'improved' | 'regressed' | 'inconclusive'
  readonly text: string
}

/** Cases that changed or fail come first. */
export interface ViewedMatrix {
  /** The columns. */
  readonly iterations: readonly number[]
  readonly cases: readonly ViewedCase[]
  /** Rows and columns that are not listed. */
  readonly leftOut: { readonly cases: number; readonly iterations: number }
}

export interface ViewedCase {
  readonly id: string
  readonly label: 'focus' | 'guard' | 'case'
  readonly isFlaky: boolean
  readonly baseline: 'passing' | 'failing' | 'unscored'
  readonly now: 'passing' | 'failing'
  /** One for each column. Null: not measured in that iteration. */
  readonly flips: readonly (Flip | null)[]
  /** The last thing that was said about it. Empty: nothing. */
  readonly critique: string
}

export interface ViewedHypothesis {
  readonly iteration: number
  readonly statement: string
  readonly prediction: string
  readonly outcome: 'untested' | 'confirmed' | 'partially-confirmed' | 'rejected'
  /** The cases that should have improved, and what became of each. */
  readonly cases: readonly { readonly id: string; readonly flip: Flip | null }[]
}

export interface ViewedRound {
  readonly iteration: number
  readonly rootCause: string
  readonly options: readonly ViewedOption[]
  readonly decision?: {
    readonly chosen: readonly string[]
    readonly by: 'person' | 'policy'
    readonly reason: string
  }
}

export interface ViewedOption {
  readonly id: string
  readonly name: string
  readonly summary: string
  readonly mechanism: string
  readonly isRecommended: boolean
  readonly edits: readonly {
    readonly file: string
    readonly section: string
    readonly current: string
    readonly proposed: string
  }[]
  /** The edits as a unified diff. */
  readonly diff: string
  readonly improves: readonly string[]
  /** The expected gain of the mean score. Absent: unknown. */
  readonly expected?: number
  /** Absent: not measured. */
  readonly result?: {
    readonly type: 'kept' | 'dropped'
    readonly reason?: string
    readonly delta?: number
  }
}

export interface ViewedHoldout {
  readonly cases: number
  readonly status: 'none' | 'sealed' | 'opened'
  /** Of an opened one. `improved`: the change generalises. */
  readonly verdict?: ViewedClaim['verdict']
  readonly gain?: ViewedGain
  readonly text: string
}

export interface ViewedClaim {
  readonly verdict: 'improved' | 'regressed' | 'inconclusive' | 'no-claim'
  readonly gain?: ViewedGain
  readonly text: string
}
