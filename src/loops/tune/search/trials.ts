/** Configurations that were run, and how good they are. Configurations on different parts of the suite are compared fairly. */

import type { Configuration } from './knobs.ts'

/** The suite is run in this many parts. */
export const parts = 4

export interface Trial {
  readonly values: Configuration
  /** Parts that were run: batch n ran part n modulo 4. */
  readonly batches: number
  /** For each part: scored runs, and the sum of their scores. */
  readonly runs: readonly number[]
  readonly sums: readonly number[]
}

export interface TrialEstimate {
  /** What the whole suite would score, as far as it is known: parts that are easy for all trials are corrected. */
  readonly mean: number
  readonly runs: number
  /** The mean, drawn towards that of all trials as if one more part had scored it: few lucky runs do not win. */
  readonly shrunk: number
}

const zeros = (): number[] => Array<number>(parts).fill(0)

export const untried = (values: Configuration): Trial => ({
  values,
  batches: 0,
  runs: zeros(),
  sums: zeros(),
})

export const withScores = (trial: Trial, part: number, scores: readonly number[]): Trial => ({
  ...trial,
  batches: trial.batches + 1,
  runs: trial.runs.with(part, (trial.runs[part] ?? 0) + scores.length),
  sums: trial.sums.with(part, (trial.sums[part] ?? 0) + scores.reduce((sum, one) => sum + one, 0)),
})

/** In the order of the trials. A trial without a score has the mean of all. */
export function estimateTrials(trials: readonly Trial[]): readonly TrialEstimate[] {
  const effects = zeros()
  let means = trials.map((trial) => meanOf(trial, effects))
  // A part is easy if trials score better in it than elsewhere: two unknowns that settle in a few rounds.
  for (let round = 0; round < 3; round++) {
    for (let part = 0; part < parts; part++) effects[part] = effectOf(trials, means, part)
    means = trials.map((trial) => meanOf(trial, effects))
  }
  const known = means.filter((mean) => mean !== undefined)
  const overall = known.reduce((sum, mean) => sum + mean, 0) / Math.max(1, known.length)
  return trials.map((trial, at) => {
    const mean = means[at] ?? overall
    const { batches } = trial
    const shrunk = (mean * batches + overall * shrinkage) / (batches + shrinkage)
    return { mean, runs: countRuns(trial), shrunk }
  })
}

/** In batches. More of it prefers what was run often over what is better. */
const shrinkage = 1

export const countRuns = ({ runs }: Trial): number => runs.reduce((sum, one) => sum + one, 0)

function meanOf(trial: Trial, effects: readonly number[]): number | undefined {
  let runs = 0
  let sum = 0
  for (let part = 0; part < parts; part++) {
    const count = trial.runs[part] ?? 0
    runs += count
    sum += (trial.sums[part] ?? 0) - (effects[part] ?? 0) * count
  }
  return runs === 0 ? undefined : sum / runs
}

function effectOf(
  trials: readonly Trial[],
  means: readonly (number | undefined)[],
  part: number,
): number {
  let runs = 0
  let sum = 0
  for (const [at, trial] of trials.entries()) {
    const [count, mean] = [trial.runs[part] ?? 0, means[at]]
    if (mean === undefined || count === 0) continue
    runs += count
    sum += (trial.sums[part] ?? 0) - mean * count
  }
  return runs === 0 ? 0 : sum / runs
}

/** Whether a trial may be dropped from a race that another one leads. */
export const isBehind = (one: TrialEstimate, leader: TrialEstimate): boolean =>
  one.runs > 0 &&
  leader.runs > 0 &&
  one.mean < leader.mean - Math.sqrt(0.2 / one.runs + 0.2 / leader.runs)

/** The places of the trials, the best first. Trials without a score are left out. */
export function rankTrials(trials: readonly Trial[]): readonly number[] {
  const estimates = estimateTrials(trials)
  const shrunkOf = (at: number): number => estimates[at]?.shrunk ?? 0
  return [...trials.keys()]
    .filter((at) => (estimates[at]?.runs ?? 0) > 0)
    .toSorted((one, other) => shrunkOf(other) - shrunkOf(one))
}
