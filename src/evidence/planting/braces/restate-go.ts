/**
 * Restates what a Go test expects. Operators of Go do not call the code under test, so only the reporting of failures
 * could be subverted: `if got != 3 { t.Errorf(…) }` ends the test before it formats anything, and values for which
 * `reflect.DeepEqual` is true must have the same JSON. A test fails if it uses something that the work took over:
 * predeclared names, `Equal` methods that go-cmp calls, functions that get its `*testing.T`.
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
  const reason = findTakenOver(body, test.parameter, work)
  if (reason !== undefined) return [insert(test.open + 1, ` ${fails(test.parameter, reason)}`)]
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

/** Values that are deeply equal have the same JSON; values without JSON are ignored. */
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

/** What decides this test but is code of the work; undefined: nothing. */
function findTakenOver(
  body: string,
  parameter: string,
  work: readonly ChangedFile[],
): string | undefined {
  const names = [...predeclaredIn(work)]
  const used = names.find((name) => new RegExp(`(?<![.\\w])${name}\\b`).test(body))
  if (used !== undefined) return `: the work declares ${used}, which this test uses to compare`
  const helper = [...body.matchAll(new RegExp(`\\b(\\w{1,60})\\(\\s?${parameter}\\b`, 'g'))]
    .map((found) => found[1] ?? '')
    .find((name) => definesFunction(work, name))
  if (helper !== undefined) return `: ${helper}, which checks for this test, is code of the work`
  if (!/\bcmp\.(?:Diff|Equal)\b/.test(body) || !definesFunction(work, 'Equal')) return undefined
  return ': the work defines a method Equal, which go-cmp calls to compare values'
}
