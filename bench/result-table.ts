/** All results as one table, with the time each suite took. */

import type { Result } from './report.ts'
import type { SuiteEnd } from './suite-progress.ts'

export function formatTable(ends: readonly SuiteEnd[]): readonly string[] {
  const results = ends.flatMap((end) => end.results)
  const rows = [
    ['', 'name', 'value', 'target', 'suite took', 'detail'],
    ...ends.flatMap(({ results: own, seconds }) =>
      own.map((result, index) => rowOf(result, index === 0 ? `${seconds} s` : '')),
    ),
  ]
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const missed = results.filter(({ ok }) => !ok)
  const minutes = ends.reduce((sum, { seconds }) => sum + seconds, 0) / 60
  const last =
    `${results.length - missed.length} of ${results.length} targets met, ${minutes.toFixed(1)} min` +
    (missed.length === 0 ? '' : `; missed: ${missed.map(({ name }) => name).join(', ')}`)
  return [...lines, '', last]
}

const rowOf = (
  { name, value, unit, target, ok, detail = '' }: Result,
  took: string,
): readonly string[] => [
  ok ? 'ok' : 'FAIL',
  name,
  `${value} ${unit}`,
  target,
  took,
  oneLine(detail),
]

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 160)
