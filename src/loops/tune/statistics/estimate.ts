/**
 * How much better one version is than another, with its uncertainty.
 *
 * There are two units. For this suite the cases are fixed, and noise is what differs between repeats of the same case.
 * For work in general the cases are a sample, and noise is what differs between cases.
 *
 * Neither has a standard error of 0: both add one unseen flip, as large as the largest change that was seen. So a quiet
 * suite cannot turn a single lucky case into a claim.
 */

import { type Critical, coverageMin } from './rule.ts'
import {
  meanOf,
  pairScores,
  rangeOf,
  type ScorePair,
  type SuiteScores,
  varianceOf,
} from './scores.ts'

export interface Estimate {
  /** Mean score after, minus before: from -1 to 1. */
  readonly delta: number
  readonly standardError: number
  /** `delta / standardError`. */
  readonly z: number
  /** Cases that were scored on both sides. */
  readonly cases: number
}

export type Verdict = 'improved' | 'regressed' | 'inconclusive'

export interface Interval {
  readonly low: number
  readonly high: number
}

/** The largest variance of scores from 0 to 1: assumed if no case was repeated. */
const varianceMax = 0.25

/** On this suite. Undefined if no case was scored on both sides. */
export function estimateSuite(before: SuiteScores, after: SuiteScores): Estimate | undefined {
  const pairs = pairScores(before, after)
  if (pairs.length === 0) return undefined
  let difference = 0
  let variance = 0
  let inverseRuns = 0
  for (const pair of pairs) {
    const meanBefore = meanOf(pair.before)
    const meanAfter = meanOf(pair.after)
    const ownBefore = varianceOf(pair.before, meanBefore)
    const ownAfter = varianceOf(pair.after, meanAfter)
    // A side with one run borrows the variance of the other.
    const varianceBefore = ownBefore ?? ownAfter ?? varianceMax
    const varianceAfter = ownAfter ?? ownBefore ?? varianceMax
    difference += meanAfter - meanBefore
    variance += varianceBefore / pair.before.length + varianceAfter / pair.after.length
    inverseRuns += (1 / pair.before.length + 1 / pair.after.length) / 2
  }
  const count = pairs.length
  const flip = (largestChange(pairs) ** 2 * inverseRuns) / count
  return toEstimate(difference / count, Math.sqrt((variance + flip) / count ** 2), count)
}

/** For cases like these. Undefined with fewer than two cases. */
export function estimatePopulation(before: SuiteScores, after: SuiteScores): Estimate | undefined {
  const pairs = pairScores(before, after)
  const count = pairs.length
  if (count < 2) return undefined
  const differences = pairs.map((pair) => meanOf(pair.after) - meanOf(pair.before))
  const mean = differences.reduce((sum, one) => sum + one, 0) / count
  const squares = differences.reduce((sum, one) => sum + (one - mean) ** 2, 0)
  const runs = Math.min(...pairs.map((pair) => Math.min(pair.before.length, pair.after.length)))
  const flip = largestChange(pairs) ** 2 / (count ** 2 * runs)
  return toEstimate(mean, Math.sqrt(squares / (count - 1) / count + flip), count)
}

const toEstimate = (delta: number, standardError: number, cases: number): Estimate => ({
  delta,
  standardError,
  z: delta / standardError,
  cases,
})

/** Whether enough of the cases were scored on both sides to say anything of them. */
export const isCovered = ({ cases }: Estimate, all: number): boolean => cases >= coverageMin * all

export function verdictOf({ z }: Estimate, { improved, regressed }: Critical): Verdict {
  if (z >= improved) return 'improved'
  return z <= -regressed ? 'regressed' : 'inconclusive'
}

/** The interval that belongs to the verdict with the same critical z: 0 is inside it exactly if there is no claim. */
export const intervalOf = (
  { delta, standardError }: Estimate,
  { improved, regressed }: Critical,
): Interval => ({
  low: Math.max(-1, delta - improved * standardError),
  high: Math.min(1, delta + regressed * standardError),
})

/** 1 for pass and fail. If nothing ever changed, nothing is known of the size of a change. */
function largestChange(pairs: readonly ScorePair[]): number {
  let largest = 0
  for (const { before, after } of pairs) {
    largest = Math.max(largest, rangeOf([...before, ...after]))
    if (largest === 1) return 1
  }
  return largest === 0 ? 1 : largest
}
