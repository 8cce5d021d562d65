/** The options of each iteration as diffs, what was decided about them, and what came of it. Pure. */

import type { ViewedOption, ViewedRound } from '../../../protocol/index.ts'
import type { Option } from '../compose/option.ts'
import { diffOf } from '../report/diff-of.ts'
import type { LogEntry } from '../report/log-entry.ts'
import type { IterationRecord } from '../tune-state.ts'

export function toRounds(
  log: readonly LogEntry[],
  trail: readonly IterationRecord[],
): readonly ViewedRound[] {
  const rounds = new Map<number, ViewedRound>()
  const results = new Map(
    trail.flatMap(({ measured }) =>
      (measured?.options ?? []).map(({ option, result }) => [option.id, toResult(result)] as const),
    ),
  )
  for (const entry of log) {
    if (entry.type === 'composer-analysis') {
      const { iteration, rootCause } = entry
      const options = entry.options.map((option) => toOption(option, results.get(option.id)))
      rounds.set(iteration, { iteration, rootCause, options })
    } else if (entry.type === 'decision') {
      const round = rounds.get(entry.iteration)
      const { chosen, by, reason = '' } = entry
      if (round !== undefined) {
        rounds.set(entry.iteration, { ...round, decision: { chosen, by, reason } })
      }
    }
  }
  return [...rounds.values()]
}

type MeasuredResult = NonNullable<IterationRecord['measured']>['options'][number]['result']

const toResult = (result: MeasuredResult): NonNullable<ViewedOption['result']> => ({
  type: result.type,
  ...(result.type === 'dropped' ? { reason: result.reason } : {}),
  ...(result.estimate === undefined ? {} : { delta: result.estimate.delta }),
})

function toOption(option: Option, result: ViewedOption['result']): ViewedOption {
  const { id, name, summary, mechanism, isRecommended, edits, prediction } = option
  return {
    id,
    name,
    summary,
    mechanism,
    isRecommended,
    edits,
    diff: diffOf(edits),
    improves: prediction.improves,
    ...(prediction.gain === undefined ? {} : { expected: prediction.gain }),
    ...(result === undefined ? {} : { result }),
  }
}
