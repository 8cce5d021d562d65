/** What a fork came to, beside the run that it comes from. */

import type { Host } from '../../host/host.ts'
import { describeOutcome } from '../../loop/index.ts'
import { renderCount, renderMoney } from '../display/amounts.ts'
import { visible } from '../display/render.ts'
import type { Epilogue } from './show-run.ts'

type ForkComparison = Awaited<ReturnType<Host['compareFork']>>
type ForkSide = ForkComparison['fork']

export const compareFork = (comparison: ForkComparison): Epilogue => ({
  lines: renderComparison(comparison),
  value: { comparison },
})

export function renderComparison({ iteration, original, fork }: ForkComparison): readonly string[] {
  const rows: readonly (readonly [string, (side: ForkSide) => string])[] = [
    ['', ({ name }) => name],
    ['outcome', ({ outcome, status }) => (outcome ? describeOutcome(outcome) : status)],
    ['iterations', ({ iterations }) => renderCount(iterations)],
    ['tokens', ({ spent }) => renderCount(spent.tokens)],
    ['cost', ({ spent }) => renderMoney(spent.costMicros)],
  ]
  const cells = rows.map(([name, cell]) => [name, cell(original), cell(fork)].map(visible))
  const width = (column: number): number =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0))
  const [first, second] = [width(0), width(1)]
  const from = iteration === 0 ? 'from the beginning' : `after iteration ${iteration}`
  return [
    `Compared ${from}:`,
    ...cells.map(([name = '', there = '', here = '']) =>
      `  ${name.padEnd(first)}  ${there.padEnd(second)}  ${here}`.trimEnd(),
    ),
  ]
}
