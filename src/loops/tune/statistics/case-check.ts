/**
 * Whether a single case got worse: an edit that helps ten cases and breaks one is shown with the one.
 *
 * The probability that a case got worse compares two explanations of its scores, one rate or two, with a prior learned
 * from the noise floor. Cases that look worse are run again, on the side with fewer runs, until they are broken or
 * cleared, or 12 runs are spent: then they stay suspect, which is shown too. These runs decide nothing else.
 */

import type { NoiseFloor } from './noise-floor.ts'
import type { Side } from './proof.ts'
import { logBeta } from './quantile.ts'
import { meanOf, pairScores, type SuiteScores } from './scores.ts'

export interface CaseCheck {
  readonly id: string
  /** All scores of the case under both versions, with the reruns. */
  readonly before: readonly number[]
  readonly after: readonly number[]
  /** How many of these runs are reruns of the check. Runs that ended without a score count too. */
  readonly reruns: number
}

export type CaseLabel = 'broken' | 'suspect' | 'cleared'

export type CaseCheckDecision =
  | { readonly type: 'rerun'; readonly side: Side; readonly probability: number }
  | { readonly type: 'done'; readonly label: CaseLabel; readonly probability: number }

const rerunsMax = 12
const priorOfChange = 0.05
const suspectProbability = 0.03
const brokenProbability = 0.95

/** The cases to look at again, in the order of `after`. */
export function findSuspects(
  before: SuiteScores,
  after: SuiteScores,
  noise: NoiseFloor,
): readonly CaseCheck[] {
  return pairScores(before, after)
    .filter((pair) => isSuspect(pair.before, pair.after, noise))
    .map((pair) => ({ ...pair, reruns: 0 }))
}

function isSuspect(
  before: readonly number[],
  after: readonly number[],
  noise: NoiseFloor,
): boolean {
  const [meanBefore, meanAfter] = [meanOf(before), meanOf(after)]
  if (meanBefore >= 0.6 && meanAfter <= 0.5) return true
  return probabilityOfWorse(before, after, noise) >= suspectProbability
}

/** What to do next with a case that looked worse. */
export function checkCase(check: CaseCheck, noise: NoiseFloor): CaseCheckDecision {
  const { before, after, reruns } = check
  const probability = probabilityOfWorse(before, after, noise)
  if (probability >= brokenProbability) return { type: 'done', label: 'broken', probability }
  const isClear = reruns > 2 && probability < suspectProbability
  if (!isClear && reruns < rerunsMax) {
    return { type: 'rerun', side: after.length <= before.length ? 'after' : 'before', probability }
  }
  // No more likely to have changed than any other case.
  const label = probability < priorOfChange ? 'cleared' : 'suspect'
  return { type: 'done', label, probability }
}

/** The posterior probability that the case has a lower rate after than before. 0 if it scored no worse. */
export function probabilityOfWorse(
  before: readonly number[],
  after: readonly number[],
  noise: NoiseFloor,
): number {
  const [meanBefore, meanAfter] = [meanOf(before), meanOf(after)]
  if (meanAfter >= meanBefore) return 0
  // Graded scores vary less than pass and fail: each run is worth several.
  const worth = 1 / noise.dispersion
  const [runsBefore, runsAfter] = [before.length * worth, after.length * worth]
  const [passedBefore, passedAfter] = [meanBefore * runsBefore, meanAfter * runsAfter]
  const { alpha, beta } = priorOf(noise)
  const none = logBeta(alpha, beta)
  const oneRate =
    logBeta(
      passedBefore + passedAfter + alpha,
      runsBefore + runsAfter - passedBefore - passedAfter + beta,
    ) - none
  const twoRates =
    logBeta(passedBefore + alpha, runsBefore - passedBefore + beta) +
    logBeta(passedAfter + alpha, runsAfter - passedAfter + beta) -
    2 * none
  const odds = (priorOfChange / (1 - priorOfChange)) * Math.exp(twoRates - oneRate)
  return odds === Number.POSITIVE_INFINITY ? 1 : odds / (1 + odds)
}

/** The beta distribution of the rates of cases that has the mean and the noise of this suite. */
function priorOf({ mean, within, dispersion }: NoiseFloor): { alpha: number; beta: number } {
  const center = Math.min(0.98, Math.max(0.02, mean))
  const noise = Math.max(0.004, within / dispersion)
  const between = Math.max(0.01, center * (1 - center) - noise)
  const weight = Math.min(5, Math.max(0.05, noise / between))
  return { alpha: weight * center, beta: weight * (1 - center) }
}
