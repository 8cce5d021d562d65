/** The record of the iterations that a log has: what `--continue` goes on from. Pure. */

import type { Hypothesis, IterationRecord, MeasuredOption } from '../tune-state.ts'
import type { LogEntry } from './log-entry.ts'

export function toTrail(entries: readonly LogEntry[]): readonly IterationRecord[] {
  const complete = new Set(
    entries.flatMap((entry) => (entry.type === 'iteration-complete' ? [entry.iteration] : [])),
  )
  let last = 0
  while (complete.has(last + 1)) last++
  const byIteration = new Map<number, LogEntry[]>()
  for (const entry of entries) {
    if (!('iteration' in entry)) continue
    const known = byIteration.get(entry.iteration)
    if (known === undefined) byIteration.set(entry.iteration, [entry])
    else known.push(entry)
  }
  const of = (iteration: number): readonly LogEntry[] => byIteration.get(iteration) ?? []
  return Array.from({ length: last }, (_, at) => toRecord([...of(at), ...of(at + 1)], at + 1))
}

function toRecord(entries: readonly LogEntry[], iteration: number): IterationRecord {
  const find = <Type extends LogEntry['type']>(
    type: Type,
  ): Extract<LogEntry, { type: Type }> | undefined =>
    entries.findLast(
      (entry): entry is Extract<LogEntry, { type: Type }> =>
        entry.type === type && 'iteration' in entry && entry.iteration === iteration,
    )
  const stated = find('hypothesis')
  const result = find('iteration-result')
  const metrics = find('metrics')
  const decision = find('decision')
  const passing = result?.passing ?? metrics?.passing ?? { passing: 0, of: 0 }
  const hypothesis: Hypothesis = {
    statement: stated?.statement ?? 'It is not in the log.',
    prediction: stated?.prediction ?? 'It is not in the log.',
    improves: stated?.improves ?? [],
    outcome: result?.hypothesis ?? 'untested',
  }
  return {
    iteration,
    hypothesis,
    passing,
    best: { passing, mean: metrics?.mean ?? 0 },
    ...(result === undefined
      ? {}
      : {
          measured: {
            options: optionsOf(entries, iteration, result.kept),
            flips: {
              fixed: result.fixed,
              regressed: result.regressed,
              stillFailing: [],
              unchanged: [],
            },
          },
        }),
    ...(decision === undefined ? {} : { decision: toDecision(decision) }),
  }
}

/** The edits of the iteration before, which this one measured. */
const optionsOf = (
  entries: readonly LogEntry[],
  iteration: number,
  kept: string | undefined,
): readonly MeasuredOption[] =>
  entries.flatMap((entry): readonly MeasuredOption[] => {
    if (entry.type !== 'edit-applied' || entry.iteration !== iteration - 1) return []
    const { option } = entry
    return option.id === kept
      ? [{ option, result: { type: 'kept' } }]
      : [{ option, result: { type: 'dropped', reason: 'no-gain' } }]
  })

function toDecision({
  chosen,
  by,
}: Extract<LogEntry, { type: 'decision' }>): NonNullable<IterationRecord['decision']> {
  const [first] = chosen
  if (first === undefined) return { type: 'skipped' }
  if (chosen.length > 1) return { type: 'raced', options: chosen }
  return { type: 'picked', option: first, by }
}
