/** What is said of a change: a verdict, never without its interval. */

import { type Estimate, type Interval, intervalOf, type Verdict, verdictOf } from './estimate.ts'
import { type Alpha, type Critical, confidenceOf, criticalZ } from './rule.ts'

export interface Claim {
  readonly verdict: Verdict
  readonly estimate: Estimate
  /** 0 is inside it exactly if the verdict is "inconclusive". */
  readonly interval: Interval
  /** Of the interval, such as 0.96. */
  readonly confidence: number
}

export const toClaim = (
  estimate: Estimate,
  alpha: Alpha,
  critical: Critical = criticalZ(alpha),
): Claim => ({
  verdict: verdictOf(estimate, critical),
  estimate,
  interval: intervalOf(estimate, critical),
  confidence: confidenceOf(alpha),
})
