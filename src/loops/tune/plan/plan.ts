/** The plan of a tuning loop: what is expected to fail and why, what is tried in which order, on which cases, and when it is enough. */

export interface Plan {
  readonly problem: string
  /** What is known of failures so far: from a person, from an earlier loop, from the documents of the project. */
  readonly failureContext: readonly string[]
  /** The best one first. */
  readonly hypotheses: readonly PlannedHypothesis[]
  readonly experiments: readonly Experiment[]
  /** Ids of cases. */
  readonly focus: readonly string[]
  readonly guards: readonly string[]
  readonly exclusions: readonly { readonly id: string; readonly reason: string }[]
  readonly criteria: Criteria
}

export type Rating = 'high' | 'medium' | 'low'

export interface PlannedHypothesis {
  readonly statement: string
  readonly prediction: string
  /** How confident one is that this is the cause. */
  readonly likelihood: Rating
  /** How cheaply it can be tested alone. */
  readonly testability: Rating
  /** How many cases it would fix. */
  readonly impact: Rating
}

export interface Experiment {
  /** The number of its hypothesis, from 1. */
  readonly hypothesis: number
  readonly file: string
  readonly section: string
  readonly current: string
  readonly change: string
}

export interface Criteria {
  /** Share of the cases that has to pass, 0 to 1, for the loop to stop. Absent: all of them. */
  readonly target?: number
  readonly minimum: string
  readonly qualitative: string
  readonly exits: readonly string[]
}

const points: Readonly<Record<Rating, number>> = { high: 3, medium: 2, low: 1 }

/** Likely, testable and important ones first; equal ones stay in their order. */
export const rankHypotheses = (
  hypotheses: readonly PlannedHypothesis[],
): readonly PlannedHypothesis[] => hypotheses.toSorted((a, b) => rankOf(b) - rankOf(a))

export const rankOf = ({ likelihood, testability, impact }: PlannedHypothesis): number =>
  points[likelihood] * points[testability] * points[impact]
