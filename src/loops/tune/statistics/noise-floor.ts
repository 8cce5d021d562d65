/** How much a suite varies when nothing changes, and the smallest gain it can therefore see. */

import { criticalZ, powerZ, proofAlpha } from './rule.ts'
import { meanOf, rangeOf, type SuiteScores, varianceOf } from './scores.ts'

export interface NoiseFloor {
  readonly cases: number
  readonly mean: number
  /** Mean variance between repeats of the same case. */
  readonly within: number
  /** 1 for pass and fail, less for graded scores: what is left of the variance that pass and fail would have. */
  readonly dispersion: number
  /** Standard deviation of the difference of two single passes over the suite. */
  readonly passDeviation: number
  /** Cases that were seen at least half a point apart. The list grows with every repeat. */
  readonly flaky: readonly string[]
}

/** Undefined if no case was scored twice: the noise is unknown then. */
export function measureNoise(baseline: SuiteScores): NoiseFloor | undefined {
  let cases = 0
  let repeated = 0
  let means = 0
  let variances = 0
  let binary = 0
  const flaky: string[] = []
  for (const { id, scores } of baseline) {
    if (scores.length === 0) continue
    const mean = meanOf(scores)
    cases++
    means += mean
    const variance = varianceOf(scores, mean)
    if (variance === undefined) continue
    repeated++
    variances += variance
    binary += (mean * (1 - mean) * scores.length) / (scores.length - 1)
    if (rangeOf(scores) >= 0.5) flaky.push(id)
  }
  if (repeated === 0) return undefined
  const within = variances / repeated
  return {
    cases,
    mean: means / cases,
    within,
    dispersion: binary === 0 ? 1 : Math.min(1, Math.max(dispersionMin, variances / binary)),
    passDeviation: Math.sqrt((2 * within) / cases),
    flaky,
  }
}

const dispersionMin = 0.01

/** Typical of suites of which every third case is flaky: assumed until the baseline was measured. */
export const withinAssumed = 0.075

/**
 * The smallest true gain that a proof with this many repeats for each side finds in four of five loops. For pass and
 * fail: with graded scores smaller gains can be seen, and nothing is known of them before the first candidate.
 */
export function smallestVisibleGain(suite: {
  readonly cases: number
  readonly repeats: number
  /** `NoiseFloor.within`, or `withinAssumed` before anything was spent. */
  readonly within: number
  readonly critical?: number
}): number {
  const { cases, repeats, within, critical = criticalZ(proofAlpha(1)).improved } = suite
  const deviation = Math.sqrt(((2 * within) / repeats + 1 / repeats / cases) / cases)
  return Math.min(1, (critical + powerZ) * deviation)
}
