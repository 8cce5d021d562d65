/**
 * States once more what a test in Go expects. Go compares without asking the code under test, so what is left is
 * how a failure is reported: `if got != 3 { t.Errorf(…) }` ends the test before it formats anything. A test fails
 * where it uses something that the work took over: names of Go itself, `Equal` methods that go-cmp asks.
 */

import { readLines, type Scan } from '../plain/scan.ts'
import { type ChangedFile, type Edit, insert } from '../test-source.ts'
import type { TestFunction } from './functions.ts'
import { definesMethod, predeclaredIn } from './own-comparisons.ts'

const branch = /\b(?:if\b[^{}\n]*|else\s*)\{/g
const report = /^(\w+)\.(?:Error|Fatal|Fail|Log)(?:f|Now)?\(/

export function restateGo(
  scanned: Scan,
  test: TestFunction,
  marker: string,
  work: readonly ChangedFile[],
): readonly Edit[] | string {
  if (test.parameter === '_') return 'its *testing.T has no name'
  const fails = (parameter: string, why: string): string =>
    `${parameter}.Fatal(${JSON.stringify(`${marker}${why}`)}); `
  const body = scanned.mask.slice(test.open, test.close)
  const taken = takenOver(body, work)
  if (taken !== undefined) return [insert(test.open + 1, ` ${fails(test.parameter, taken)}`)]
  const edits = [...body.matchAll(branch)].flatMap((found): readonly Edit[] => {
    const open = test.open + found.index + found[0].length - 1
    const close = scanned.closing.get(open)
    const statements = close === undefined ? [] : readLines(scanned, open + 1, close)
    const [first] = statements
    const reports = statements.map(({ start, end }) => report.exec(scanned.mask.slice(start, end)))
    const isFailure = reports.some((one) => one !== null && !one[0].includes('.Log'))
    const parameter = reports[0]?.[1]
    if (first === undefined || parameter === undefined || !isFailure) return []
    return [insert(first.start, fails(parameter, ''))]
  })
  return edits.length === 0 ? 'no comparison' : edits
}

/** What decides in this test, and is code of the work; undefined: nothing. */
function takenOver(body: string, work: readonly ChangedFile[]): string | undefined {
  const names = [...predeclaredIn(work)]
  const used = names.find((name) => new RegExp(`(?<![.\\w])${name}\\b`).test(body))
  if (used !== undefined) return `: the work declares ${used}, with which this test compares`
  if (!/\bcmp\.(?:Diff|Equal)\b/.test(body) || !definesMethod(work, 'Equal')) return undefined
  return ': the work defines a method Equal, which go-cmp asks whether values are equal'
}
