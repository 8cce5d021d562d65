/**
 * The sealed holdout: cases that no edit, no option and no composer has seen. It is opened once, only after the proof
 * said "improved", and answers another question: does it hold for cases that are not in the suite? So the case is the
 * unit, and repeats help little. With fewer than 20 cases it makes no claim.
 */

import { type Claim, toClaim } from './claim.ts'
import { estimatePopulation, isCovered } from './estimate.ts'
import type { ProofDecision } from './proof.ts'
import { tFor } from './quantile.ts'
import { type Random, shuffle } from './random.ts'
import { type Alpha, type Critical, holdoutAlpha, holdoutCasesMin, powerZ } from './rule.ts'
import type { SuiteScores } from './scores.ts'

export interface Split {
  /** In the order given. */
  readonly suite: readonly string[]
  readonly holdout: readonly string[]
}

/** Sets aside a share of the cases, at random: a holdout that was chosen would not be a sample. */
export function splitCases(cases: readonly string[], share: number, random: Random): Split {
  const sealed = new Set(shuffle(cases, random).slice(0, Math.round(cases.length * share)))
  return {
    suite: cases.filter((id) => !sealed.has(id)),
    holdout: cases.filter((id) => sealed.has(id)),
  }
}

/** Whether the holdout may be opened. It stays sealed for good if the proof did not say "improved". */
export const mayOpenHoldout = (proof: ProofDecision): boolean =>
  proof.type === 'claim' && proof.verdict === 'improved'

/** "improved" means: it generalises. */
export type HoldoutDecision =
  | ({ readonly type: 'claim' } & Claim & {
        /** Cases that would show a difference of the size that was seen. Absent: decided, or more than 2,000. */
        readonly casesToDecide?: number
      })
  | {
      readonly type: 'no-claim'
      readonly reason: 'too-few-cases' | 'too-few-scores'
      readonly cases: number
      readonly needed: number
    }

export function decideHoldout(scores: {
  readonly cases: number
  readonly before: SuiteScores
  readonly after: SuiteScores
}): HoldoutDecision {
  const { cases, before, after } = scores
  if (cases < holdoutCasesMin) {
    return { type: 'no-claim', reason: 'too-few-cases', cases, needed: holdoutCasesMin }
  }
  const estimate = estimatePopulation(before, after)
  if (estimate === undefined || estimate.cases < holdoutCasesMin || !isCovered(estimate, cases)) {
    const scored = estimate?.cases ?? 0
    return { type: 'no-claim', reason: 'too-few-scores', cases: scored, needed: holdoutCasesMin }
  }
  const critical = criticalT(holdoutAlpha, estimate.cases - 1)
  const claim = { type: 'claim' as const, ...toClaim(estimate, holdoutAlpha, critical) }
  if (claim.verdict !== 'inconclusive' || estimate.delta === 0) return claim
  // The standard error falls with the square root of the cases.
  const needed = Math.ceil(estimate.cases * ((critical.improved + powerZ) / estimate.z) ** 2)
  return needed > 2000 ? claim : { ...claim, casesToDecide: needed }
}

const criticalT = ({ improved, regressed }: Alpha, degreesOfFreedom: number): Critical => ({
  improved: tFor(improved, degreesOfFreedom),
  regressed: tFor(regressed, degreesOfFreedom),
})
