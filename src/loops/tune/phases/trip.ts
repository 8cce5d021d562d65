/** What one trip of the cycle has gathered so far. */

import type { LogEntry } from '../report/log-entry.ts'
import { estimateSuite, intervalOf } from '../statistics/estimate.ts'
import { criticalZ, proofAlpha } from '../statistics/rule.ts'
import { meanOf, type SuiteScores } from '../statistics/scores.ts'
import type { Best, ExitReason, IterationRecord, Looping, Tally } from '../tune-state.ts'

export interface Trip {
  readonly looping: Looping
  readonly record: IterationRecord
  readonly log: readonly LogEntry[]
  /** The loop ends with this trip. */
  readonly exit?: ExitReason
}

export const tallyOf = ({ incumbent, workload }: Looping): Tally => ({
  passing: incumbent.passing.length,
  of: workload.split.suite.length,
})

/** Of the incumbent against the baseline, as measured: not a claim. */
export const gainOf = ({ incumbent, baseline }: Looping): number =>
  estimateSuite(baseline.scores, incumbent.scores)?.delta ?? 0

/** The incumbent, with the interval that a proof of it would have. */
export function bestOf(looping: Looping): Best {
  const { baseline, incumbent } = looping
  const estimate = estimateSuite(baseline.scores, incumbent.scores)
  const known = { passing: tallyOf(looping), mean: meanScore(incumbent.scores) }
  if (estimate === undefined) return known
  const range = intervalOf(estimate, criticalZ(proofAlpha(1)))
  return { ...known, gain: { delta: estimate.delta, ...range } }
}

export function meanScore(scores: SuiteScores): number {
  const means = scores.flatMap((one) => (one.scores.length === 0 ? [] : [meanOf(one.scores)]))
  return means.length === 0 ? 0 : meanOf(means)
}
