/**
 * States once more what a test in Go expects. Operators of Go do not ask the code under test, so what is left is how
 * a failure is reported: `if got != 3 { t.Errorf(…) }` ends the test before it formats anything, and what
 * `reflect.DeepEqual` calls equal must be the same as JSON. A test fails where it uses something that the work took
 * over: names of Go itself, `Equal` methods that go-cmp asks, functions to which it passes its `*testing.T`.
 */

import { readLines, type Scan } from '../plain/scan.ts'
import { type ChangedFile, type Edit, insert } from '../test-source.ts'
import type { TestFunction } from './functions.ts'
import { definesFunction, predeclaredIn } from './own-comparisons.ts'

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
  const taken = takenOver(body, test.parameter, work)
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
  const all = [...edits, ...restateDeep(scanned, test, marker)]
  return all.length === 0 ? 'no comparison' : all
}

/** Values that are deeply equal have the same JSON; of what has none, nothing is said. */
function restateDeep(scanned: Scan, test: TestFunction, marker: string): readonly Edit[] {
  const clause = /^\s*package\s+\w+/.exec(scanned.mask)?.[0].length
  const found = [
    ...scanned.mask.slice(test.open, test.close).matchAll(/\breflect\.DeepEqual(?=\()/g),
  ]
  if (clause === undefined || found.length === 0) return []
  const json = marker.replaceAll(/\W/g, '_')
  const same = `func(a, b interface{}) bool { x, e := ${json}.Marshal(a); y, f := ${json}.Marshal(b); return reflect.DeepEqual(a, b) && (e != nil || f != nil || string(x) == string(y)) }`
  return [
    insert(clause, `; import ${json} "encoding/json"`),
    ...found.map(({ index, 0: { length } }) => {
      const at = test.open + index
      return { at, end: at + length, text: same }
    }),
  ]
}

/** What decides in this test, and is code of the work; undefined: nothing. */
function takenOver(
  body: string,
  parameter: string,
  work: readonly ChangedFile[],
): string | undefined {
  const names = [...predeclaredIn(work)]
  const used = names.find((name) => new RegExp(`(?<![.\\w])${name}\\b`).test(body))
  if (used !== undefined) return `: the work declares ${used}, with which this test compares`
  const helper = [...body.matchAll(new RegExp(`\\b(\\w{1,60})\\(\\s?${parameter}\\b`, 'g'))]
    .map((found) => found[1] ?? '')
    .find((name) => definesFunction(work, name))
  if (helper !== undefined) return `: ${helper}, which checks for this test, is code of the work`
  if (!/\bcmp\.(?:Diff|Equal)\b/.test(body) || !definesFunction(work, 'Equal')) return undefined
  return ': the work defines a method Equal, which go-cmp asks whether values are equal'
}
