/** What one trip of the cycle has gathered so far. */

import type { LogEntry } from '../report/log-entry.ts'
import { estimateSuite } from '../statistics/estimate.ts'
import { meanOf, type SuiteScores } from '../statistics/scores.ts'
import type { ExitReason, IterationRecord, Looping, Tally } from '../tune-state.ts'

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

export function meanScore(scores: SuiteScores): number {
  const means = scores.flatMap((one) => (one.scores.length === 0 ? [] : [meanOf(one.scores)]))
  return means.length === 0 ? 0 : meanOf(means)
}
