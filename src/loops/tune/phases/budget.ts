/**
 * Ends the cycle while the budget still pays for a proof: what was paid for is worth little without one. What a run of a case costs is
 * what the runs so far cost, composer and judges included.
 */

import { FaultError } from '../../../loop/index.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { proofRepeats, proofRepeatsMin } from '../statistics/rule.ts'
import type { TuneSession } from '../tune-session.ts'
import type { Looping } from '../tune-state.ts'
import type { Workload } from '../workload/workload.ts'

/** A race of three options costs two passes. */
const racePasses = 2

/** Whether the rest of the budget pays for another trip of the cycle and for the proof after it. */
export async function canAffordTrip(
  { it, settings }: TuneSession,
  { workload }: Looping,
  log: readonly LogEntry[],
): Promise<boolean> {
  const { length } = workload.split.suite
  const passes = racePasses + (settings.composer === 'search' ? settings.search.passes : 0)
  const needed = passes * length + runsOfProof(workload)
  const made = log.reduce((sum, entry) => sum + (entry.type === 'experiment' ? entry.runs : 0), 0)
  // The budget is no part of the state: what it was is journaled.
  return it.step(
    'afford',
    () => {
      const { committed, tokens, costMicros } = it.budget.remaining()
      if (committed === undefined || made === 0) return true
      const factor = needed / made
      return committed.costMicros * factor <= costMicros && committed.tokens * factor <= tokens
    },
    { readOnly: true, role: 'budget' },
  )
}

function runsOfProof({ manifest, split }: Workload): number {
  const { suite, holdout } = split
  const cases = { cases: suite.length, holdoutCases: holdout.length }
  const repeats = manifest.repeats.proof ?? proofRepeats(cases)
  return 2 * repeats * suite.length + 2 * proofRepeatsMin * holdout.length
}

/** The budget of the run does not pay for a step. */
export const isBudgetFault = (error: unknown): boolean =>
  error instanceof FaultError && error.fault.code === 'budget'
