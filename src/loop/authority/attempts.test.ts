import { describe, expect, test } from 'vitest'
import type { CheckResult } from '../evidence.ts'
import {
  type Attempts,
  followAttempts,
  type IterationMeasure,
  initialAttempts,
  measureChecks,
} from './attempts.ts'

const tested = (failing: readonly string[], passed = 10): CheckResult => ({
  check: 'test',
  status: failing.length === 0 ? 'met' : 'not-met',
  output: '',
  durationMs: 1,
  counts: { passed, failed: failing.length, skipped: 0 },
  failing,
})

const follow = (measures: readonly IterationMeasure[], start = initialAttempts): Attempts =>
  measures.reduce(
    (attempts, measure) => followAttempts(attempts, { measure, changedFiles: true }),
    start,
  )

/** How many test runs in a row showed no improvement. */
const countRuns = (...runs: readonly (readonly string[])[]): number =>
  follow(runs.map((failing) => measureChecks([tested(failing)]))).testRuns

describe('tests with ids', () => {
  test('a failing test that no longer fails is an improvement, although another one fails now', () => {
    expect(countRuns(['a'], ['b'])).toBe(0)
    expect(countRuns(['file'], ['x', 'y', 'z'])).toBe(0)
    expect(countRuns(['a', 'b'], ['a'])).toBe(0)
  })

  test('the same or more failing tests are not', () => {
    expect(countRuns(['a', 'b'], ['b', 'a'], ['a', 'b', 'c'])).toBe(2)
  })

  test('each test counts as fixed once: fixing one and breaking another in turn does not hide a stuck run', () => {
    expect(countRuns(['a'], ['b'], ['a'], ['b'], ['a'], ['b'])).toBe(3)
    expect(countRuns(['a'], ['a', 'b'], ['a'], ['a', 'b'], ['a'], ['a', 'b'])).toBe(3)
  })

  test('more passing tests than ever before are an improvement', () => {
    const measures = [10, 8, 10, 11].map((passed) => measureChecks([tested(['a'], passed)]))
    expect(follow(measures.slice(0, 3)).testRuns).toBe(2)
    expect(follow(measures).testRuns).toBe(0)
  })
})

describe('tests without ids', () => {
  const count = (failed: number): IterationMeasure => {
    const { failing: _ids, ...result } = tested([])
    const counts = { passed: 10, failed, skipped: 0 }
    return measureChecks([{ ...result, status: 'not-met', counts }])
  }

  test('their numbers are compared, also with an earlier test run that reported ids', () => {
    expect(follow([count(3), count(3)]).testRuns).toBe(1)
    expect(follow([count(3), count(2)]).testRuns).toBe(0)
    expect(follow([measureChecks([tested(['a'])]), count(1)]).testRuns).toBe(1)
  })

  test('counters of a journal from before ids go on', () => {
    const { best: _none, ...earlier } = follow([count(3), count(3)])
    expect(follow([measureChecks([tested(['a', 'b', 'c'])])], earlier).testRuns).toBe(2)
  })

  test('ids count only if all runners report them, and not too many', () => {
    const { failing: _ids, ...other } = tested(['x'])
    expect(measureChecks([tested(['a']), { ...other, check: 'e2e' }]).failing).toBeUndefined()
    const many = Array.from({ length: 201 }, (_, at) => `t${at}`)
    expect(measureChecks([tested(many)]).failing).toBeUndefined()
    expect(measureChecks([tested(['a'])]).failing).toEqual(['test: a'])
  })
})
