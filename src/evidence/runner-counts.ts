/**
 * How many tests ran, from what runners print. Only a complete summary of one runner counts; two where a
 * runner prints one, or those of two runners, are no answer. Code under test can print a summary as well:
 * that cannot be told from here, only made useless (a second one is no answer) or noticed by planted
 * defects. So counts can refuse work, and never certify it.
 *
 * Takes any text, throws nothing, and its time grows with the text and not worse.
 */

import type { TestCounts } from '../loop/index.ts'
import { plainLines } from './plain-lines.ts'
import { runnerReaders } from './runner-readers.ts'

const charsMax = 1_000_000

export function readCounts(output: string): TestCounts | undefined {
  const lines = tellingLines(output)
  const found = runnerReaders
    .map((reader) => ({ reader, summaries: reader.read(lines) }))
    .filter(({ summaries }) => summaries === undefined || summaries.length > 0)
  const [only] = found
  if (only?.summaries === undefined || found.length > 1) return undefined
  if (only.summaries.length > 1 && !only.reader.several) return undefined
  // Of several, some may stand in what was cut off.
  if (only.reader.several && output.length > charsMax) return undefined
  return only.summaries.reduce(add)
}

/** What stands against work whose runner says less than it said on the base. */
export interface CountProblem {
  readonly code: 'fewer-tests' | 'skipped-tests' | 'no-counts'
  readonly message: string
}

/** Nothing is said where the base's runner said nothing either. */
export function compareCounts(
  base: TestCounts | undefined,
  now: TestCounts | undefined,
): readonly CountProblem[] {
  if (base === undefined) return []
  if (now === undefined) {
    const message = `On the base ${countOf(base)}; now the runner prints no summary that can be read. Let it end by itself, and print its summary once.`
    return [{ code: 'no-counts', message }]
  }
  const problems: CountProblem[] = []
  const ran = (counts: TestCounts): number => counts.passed + counts.failed
  const total = (counts: TestCounts): number => ran(counts) + counts.skipped
  if (total(now) < total(base) || (ran(now) === 0 && ran(base) > 0)) {
    const message = `On the base ${countOf(base)}, now ${countOf(now)}. Bring the missing tests back, or say why they went.`
    problems.push({ code: 'fewer-tests', message })
  }
  if (now.skipped > base.skipped) {
    const message = `${now.skipped} tests are skipped, ${base.skipped} were on the base. Let them run, or say why they cannot.`
    problems.push({ code: 'skipped-tests', message })
  }
  return problems
}

function countOf({ passed, failed, skipped }: TestCounts): string {
  const ran = passed + failed
  return `${ran} ${ran === 1 ? 'test' : 'tests'} ran${skipped === 0 ? '' : ` and ${skipped} did not`}`
}

const add = (a: TestCounts, b: TestCounts): TestCounts => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
})

/** Lines without any of this are no part of a summary. */
const telling = /\d|─|^=== RUN|Results|^(?:OK|FAILED|NO TESTS RAN|no tests ran)|Tests {2}no tests/

const tellingLines = (output: string): readonly string[] =>
  plainLines(output).map((line) => (telling.test(line) ? line : ''))
