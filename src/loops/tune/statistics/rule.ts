/**
 * The constants of the rule "keep, then prove". Keeping an edit is lenient; claiming an improvement is strict and uses
 * fresh runs.
 *
 * The probability that a loop says anything false about its suite is at most 5 %: 0.5 % for all iterations together, 4 %
 * for the first proof, 0.5 % for all further proofs. The holdout is opened once, and only after a proof said
 * "improved", so its own 5 % applies only where the claim about the suite is true.
 */

import { zFor } from './quantile.ts'

/** The z that each of the two claims needs. "Improved" gets most of the alpha: it is what a loop is for. */
export interface Critical {
  readonly improved: number
  readonly regressed: number
}

/** One-sided probabilities of a false claim. */
export interface Alpha {
  readonly improved: number
  readonly regressed: number
}

const iterationsAlpha = 0.0025
const firstProofAlpha: Alpha = { improved: 0.03, regressed: 0.01 }
const laterProofsAlpha: Alpha = { improved: 0.0035, regressed: 0.0015 }
export const holdoutAlpha: Alpha = { improved: 0.04, regressed: 0.01 }

/** A claim needs this share of the cases scored on both sides. */
export const coverageMin = 0.6

/** A holdout with fewer cases makes no claim. */
export const holdoutCasesMin = 20

/** z of 80 % power: of the gains that are called visible. */
export const powerZ = 0.84

/** Fresh runs of each case, for each side of a proof and of the holdout. */
export const proofRepeatsMin = 3
const proofRepeatsMax = 5

/**
 * Repeats of a proof: more than the least if runs are left over when the iterations end, since a proof with more of
 * them finds smaller gains and exaggerates less. Decide it before its first run, never after a look at the scores.
 */
export function proofRepeats(left: {
  readonly cases: number
  readonly holdoutCases: number
  /** Runs that the budget still pays for; absent: no budget counts runs. */
  readonly runs?: number
}): number {
  const { cases, holdoutCases, runs = 0 } = left
  const forProof = runs - 2 * proofRepeatsMin * holdoutCases
  const affordable = Math.floor(forProof / (2 * cases))
  return Math.min(proofRepeatsMax, Math.max(proofRepeatsMin, affordable))
}

/** How often each case of the baseline is run: noise is within the case, and small suites show little of it. */
export function baselineRepeats(cases: number): number {
  if (cases < 30) return 5
  return cases > 150 ? 2 : 3
}

/** Of the claim of one iteration, 1 for the first, when `options` candidates were raced. */
export function iterationAlpha(iteration: number, options: number): Alpha {
  // The first twenty iterations share one half of the alpha, the next twenty a quarter, and so on: a loop that goes on
  // and on never exceeds the whole.
  const block = Math.ceil(iteration / 20)
  const alpha = iterationsAlpha / (20 * 2 ** block) / options
  return { improved: alpha, regressed: alpha }
}

/** Of a proof, 1 for the first. Each further one takes half of what is left. */
export function proofAlpha(attempt: number): Alpha {
  if (attempt === 1) return firstProofAlpha
  const share = 2 ** (1 - attempt)
  const { improved, regressed } = laterProofsAlpha
  return { improved: improved * share, regressed: regressed * share }
}

export const criticalZ = ({ improved, regressed }: Alpha): Critical => ({
  improved: zFor(improved),
  regressed: zFor(regressed),
})

/** Two-sided: of the interval that belongs to a verdict. */
export const confidenceOf = ({ improved, regressed }: Alpha): number => 1 - improved - regressed
