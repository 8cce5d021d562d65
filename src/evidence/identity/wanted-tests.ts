/** Restricts a run to some tests: the input for our programs in the sandbox, and whether it was enough. */

import type { ObservedTest, RunnerReport } from '../observe/observation.ts'

/** The input for our programs in the sandbox, as JSON. */
export interface WantedTests {
  /** Absolute paths. */
  readonly files: readonly string[]
  /** Suites first. Empty: all tests of these files. */
  readonly titles: readonly (readonly string[])[]
}

/** Undefined: runners cannot be restricted to these. */
export function toWantedTests(
  only: readonly ObservedTest[],
  toAbsolute: (file: string) => string,
): WantedTests | undefined {
  if (only.length === 0 || only.some(({ file }) => file === '')) return undefined
  return {
    files: [...new Set(only.map(({ file }) => toAbsolute(file)))],
    titles: only.some(isFile) ? [] : unique(only.map(({ titles }) => titles)),
  }
}

const isFile = ({ titles }: Pick<ObservedTest, 'titles'>): boolean =>
  titles.length === 1 && titles[0] === '(file)'

const unique = (titles: readonly (readonly string[])[]): WantedTests['titles'] => [
  ...new Map(titles.map((one) => [JSON.stringify(one), one])).values(),
]

/** Whether all of them have a result, or their file could not be loaded. */
export function hasAllWanted(report: RunnerReport, only: readonly ObservedTest[]): boolean {
  const tests = report.tests ?? []
  const ids = new Set(tests.map(({ id }) => id))
  const files = new Set(tests.map(({ file }) => file))
  const unloaded = new Set(tests.filter(isFile).map(({ file }) => file))
  return only.every((test) =>
    isFile(test) ? files.has(test.file) : ids.has(test.id) || unloaded.has(test.file),
  )
}

/** Drops tests that were skipped because others were wanted. */
export function withoutUnwanted(report: RunnerReport, only: readonly ObservedTest[]): RunnerReport {
  if (report.tests === undefined) return report
  const ids = new Set(only.map(({ id }) => id))
  const tests = report.tests.filter(({ id, status }) => status !== 'skipped' || ids.has(id))
  return { ...report, tests }
}
