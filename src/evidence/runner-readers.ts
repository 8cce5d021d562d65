/** How each runner says what it ran: data and the few lines that read it. */

import type { TestCounts } from '../loop/index.ts'

export interface RunnerReader {
  readonly name: string
  /** It prints one summary for each program or module; they are added up. */
  readonly several: boolean
  /** Undefined: its summaries contradict what it printed before. */
  read(lines: readonly string[]): readonly TestCounts[] | undefined
}

/** The words of runners, and what they count as here. */
type Word = keyof TestCounts | 'nothing'

const wordsOf: { readonly [word: string]: Word } = {
  pass: 'passed',
  passed: 'passed',
  passing: 'passed',
  xpassed: 'passed',
  fail: 'failed',
  failed: 'failed',
  failing: 'failed',
  failures: 'failed',
  failure: 'failed',
  error: 'failed',
  errors: 'failed',
  'uncaught exception': 'failed',
  'uncaught exceptions': 'failed',
  cancelled: 'failed',
  skip: 'skipped',
  skipped: 'skipped',
  pending: 'skipped',
  todo: 'skipped',
  ignored: 'skipped',
  deselected: 'skipped',
  'filtered out': 'skipped',
  xfailed: 'skipped',
  'expected fail': 'skipped',
  'expected failures': 'skipped',
  'known failure': 'skipped',
  'known failures': 'skipped',
  'unexpected successes': 'failed',
}

/** Adds up `3 passed, 1 skipped`, given as pairs of number and word. */
function tally(pairs: Iterable<readonly [string | undefined, string | undefined]>): TestCounts {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const [number, word] of pairs) {
    const counted = Object.hasOwn(wordsOf, word ?? '') ? wordsOf[word ?? ''] : undefined
    if (counted !== undefined && counted !== 'nothing') counts[counted] += Number(number)
  }
  return counts
}

/** In each line that fits, `3 passed`, `1 skipped`. */
const pairsIn = (text: string): readonly (readonly [string | undefined, string | undefined])[] =>
  [...text.matchAll(/(\d{1,9}) ([a-z]+(?: (?:out|fail|failures?|exceptions?|successes))?)/g)].map(
    (found) => [found[1], found[2]] as const,
  )

/** The lines behind `start` that are part of the same block. */
function block(
  lines: readonly string[],
  start: number,
  part: RegExp,
  most: number,
): readonly string[] {
  const end = Math.min(lines.length, start + most)
  let at = start
  while (at < end && part.test(lines[at] ?? '')) at += 1
  return lines.slice(start, at)
}

/** Of every line that fits, what `read` makes of it. */
function each(
  lines: readonly string[],
  line: RegExp,
  read: (found: RegExpExecArray, index: number) => TestCounts | undefined,
): readonly TestCounts[] {
  const counts: TestCounts[] = []
  for (const [index, text] of lines.entries()) {
    const found = text === '' ? null : line.exec(text)
    const one = found === null ? undefined : read(found, index)
    if (one !== undefined) counts.push(one)
  }
  return counts
}

/** `# tests 3`, `# pass 3`…: node:test (spec and TAP), tape. */
const nodeTest: RunnerReader = {
  name: 'node:test',
  several: false,
  read: (lines) =>
    each(lines, /^(?:ℹ|#) tests +(\d{1,9})$/, (_found, index) => {
      const part =
        /^(?:ℹ|#) (suites|pass|fail|cancelled|skipped|skip|todo|duration_ms) +([\d.]{1,20})$/
      const rest = block(lines, index + 1, part, 8).map((line) => part.exec(line))
      if (!rest.some((found) => found?.[1] === 'pass')) return undefined
      return tally(rest.map((found) => [found?.[2], found?.[1]] as const))
    }),
}

const vitest: RunnerReader = {
  name: 'vitest',
  several: false,
  read: (lines) =>
    each(lines, /^\s*Tests {2}(no tests|.*\(\d{1,9}\))$/, (found, index) =>
      /^\s*Test Files {2}/.test(lines[index - 1] ?? '')
        ? tally(pairsIn(found[1] ?? ''))
        : undefined,
    ),
}

const jest: RunnerReader = {
  name: 'jest',
  several: false,
  read: (lines) =>
    each(lines, /^Tests: {2,}(.*\d{1,9} total)$/, (found, index) =>
      (lines[index - 1] ?? '').startsWith('Test Suites: ')
        ? tally(pairsIn(found[1] ?? ''))
        : undefined,
    ),
}

const mocha: RunnerReader = {
  name: 'mocha',
  several: false,
  read: (lines) =>
    each(lines, /^ {2}\d{1,9} passing \(\d+(?:ms|s|m|h|d)\)$/, (found, index) => {
      const rest = block(lines, index + 1, /^ {2}\d{1,9} (?:pending|failing)$/, 2)
      return tally(pairsIn([found[0], ...rest].join('\n')))
    }),
}

const ava: RunnerReader = {
  name: 'ava',
  several: false,
  read: (lines) =>
    each(lines, /^ {2}─+$/, (_found, index) => {
      const part =
        /^ {2}(\d{1,9}) (?:tests? )?(passed|failed|skipped|todo|known failures?|uncaught exceptions?)$/
      const rest = block(lines, index + 2, part, 8).map((line) => part.exec(line))
      return rest.length === 0
        ? undefined
        : tally(rest.map((line) => [line?.[1], line?.[2]] as const))
    }),
}

/** node-tap's own summary: `Asserts:  0 failed  5 passed  5 of 5`, before `5 passed, of 5`. */
const tap: RunnerReader = {
  name: 'tap',
  several: false,
  read: (lines) =>
    each(lines, /^ *(?:# )?Asserts: +(.* of \d{1,9})$/, (found) => tally(pairsIn(found[1] ?? ''))),
}

const pytest: RunnerReader = {
  name: 'pytest',
  several: false,
  read: (lines) =>
    each(
      lines,
      /^(?:=+ )?(no tests ran|(?:\d{1,9} [a-z]+(?:, )?){1,9}) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$/,
      (found) => tally(pairsIn(found[1] ?? '')),
    ),
}

const unittest: RunnerReader = {
  name: 'unittest',
  several: false,
  read: (lines) =>
    each(lines, /^Ran (\d{1,9}) tests? in [\d.]+s$/, (found, index) => {
      const end = /^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/.exec(lines[index + 2] ?? '')
      if (end === null) return undefined
      const others = [...(end[1] ?? '').matchAll(/([a-z ]{3,30})=(\d{1,9})/g)].map(
        (part) => [part[2], part[1]?.trim()] as const,
      )
      const { failed, skipped } = tally(others)
      const rest = Math.max(0, Number(found[1]) - skipped)
      // Failures are counted by subtest, and there may be more of them than tests.
      return { passed: Math.max(0, rest - failed), failed: Math.min(failed, rest), skipped }
    }),
}

/** With -v each test says how it ended; without it only packages do, and so they are what is counted. */
const goTest: RunnerReader = {
  name: 'go test',
  several: true,
  read: (lines) => {
    const packages = lines.filter((line) => /^(?:ok {2}|FAIL)\t\S+\t/.test(line))
    if (packages.length === 0) return []
    if (lines.some((line) => line.startsWith('=== RUN '))) {
      return each(lines, /^ *--- (PASS|FAIL|SKIP): \S+ \([\d.]+s\)$/, (found) =>
        tally([['1', found[1]?.toLowerCase()]]),
      )
    }
    return packages.flatMap((line) => {
      if (line.includes('[no tests to run]')) return []
      return [tally([['1', line.startsWith('ok') ? 'pass' : 'fail']])]
    })
  },
}

const cargoTest: RunnerReader = {
  name: 'cargo test',
  several: true,
  read: (lines) => {
    let announced = 0
    for (const line of lines) announced += Number(/^running (\d{1,9}) tests?$/.exec(line)?.[1] ?? 0)
    let answered = 0
    const summaries = each(
      lines,
      /^test result: (?:ok|FAILED)\. (\d{1,9} passed; \d{1,9} failed; \d{1,9} ignored; (\d{1,9}) measured; \d{1,9} filtered out)/,
      (found) => {
        const text = found[1] ?? ''
        const ran = tally(pairsIn(text.replace(/; \d+ filtered out/, '')))
        answered += ran.passed + ran.failed + ran.skipped + Number(found[2])
        return tally(pairsIn(text))
      },
    )
    return announced === answered ? summaries : undefined
  },
}

const nextest: RunnerReader = {
  name: 'cargo nextest',
  several: false,
  read: (lines) =>
    each(lines, /^ *Summary \[ *[\d.]+s\] +[\d/]+ tests? run: (.*)$/, (found) =>
      tally(pairsIn((found[1] ?? '').replaceAll(/\([^)]*\)/g, ''))),
    ),
}

/** The line below `Results:`, one for each module. Those of classes have a time and are only added up to compare. */
const maven: RunnerReader = {
  name: 'surefire',
  several: true,
  read: (lines) => {
    const line =
      /^(?:\[(?:INFO|WARNING|ERROR)\] )?Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9}), Skipped: (\d{1,9})(, Time elapsed.*)?$/
    let results = Number.NEGATIVE_INFINITY
    const isAfterResults = (index: number): boolean => index - results < 200
    let ofClasses = 0
    const either = new RegExp(`${line.source}|\\bResults ?:$`)
    const summaries = each(lines, either, (found, index) => {
      if (found[1] === undefined) {
        results = index
        return undefined
      }
      const [total, failures, errors, skipped] = found.slice(1, 5).map(Number)
      const failed = (failures ?? 0) + (errors ?? 0)
      if (found[5] !== undefined) {
        ofClasses += total ?? 0
        return undefined
      }
      if (!isAfterResults(index)) return undefined
      const passed = Math.max(0, (total ?? 0) - failed - (skipped ?? 0))
      return { passed, failed, skipped: skipped ?? 0 }
    })
    const all = summaries.reduce((sum, one) => sum + one.passed + one.failed + one.skipped, 0)
    return ofClasses === 0 || ofClasses === all ? summaries : undefined
  },
}

/** It says so only when something failed, unless the build prints it. */
const gradle: RunnerReader = {
  name: 'gradle',
  several: true,
  read: (lines) =>
    each(lines, /^(\d{1,9}) tests? completed((?:, \d{1,9} (?:failed|skipped)){0,2})$/, (found) => {
      const { failed, skipped } = tally(pairsIn(found[2] ?? ''))
      return { passed: Math.max(0, Number(found[1]) - failed - skipped), failed, skipped }
    }),
}

export const runnerReaders: readonly RunnerReader[] = [
  nodeTest,
  vitest,
  jest,
  mocha,
  ava,
  tap,
  pytest,
  unittest,
  goTest,
  cargoTest,
  nextest,
  maven,
  gradle,
]
