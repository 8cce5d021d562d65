/**
 * How long a run has made no progress: counters over its iterations, which the triggers read
 * (`escalation.ts`). Progress resets them: a check that was not met is met, a failing test is fixed, or more tests pass.
 * A change of the agent, or a person who lets the run continue, resets them too.
 *
 * Tests are compared by id if their runners report ids: each counts as fixed once, so that fixing and breaking the same
 * ones in turn is not progress. Otherwise they are compared by number.
 */

import { defined } from '../defined.ts'
import { type CheckResult, failingMax, type TestCounts } from '../evidence.ts'

/** What the engine measured at the end of an iteration. */
export interface IterationMeasure {
  /** The checks on the final files. */
  readonly met: readonly string[]
  readonly unmet: readonly string[]
  /** Tests were run, not taken from an earlier result. */
  readonly ranTests?: true
  /** What the test runners counted. Absent: they do not count. */
  readonly tests?: TestCounts
  /** The failing tests: check and id. Absent: a check that counts tests does not report their ids. */
  readonly failing?: readonly string[]
  /** How many files differ from the base. Absent: unknown. */
  readonly files?: number
  /** Files are counted from the start of the iteration, not from the base. */
  readonly filesPer?: 'iteration'
  /** The agent was stopped before it changed this file: it would have been one too many. */
  readonly refusedFile?: string
  /** Changed files outside the scope of the loop file; at most `pathsMax`. */
  readonly outside?: readonly string[]
  /** Why a check cannot run at all. */
  readonly cannotRun?: string
}

/** The counters, and what people decided about them. */
export interface Attempts {
  /** Iterations whose checks did not all pass, since progress. */
  readonly verifications: number
  /** Iterations in a row that changed no file. */
  readonly withoutChange: number
  /** Test runs in a row that showed no improvement. */
  readonly testRuns: number
  readonly last?: IterationMeasure | undefined
  /** Of tests that are compared by id. Absent: there was no such test run yet. */
  readonly best?: BestTests | undefined
  /** Triggers that a person decided to ignore. */
  readonly ignored: readonly TriggerName[]
  /** How many changed files a person approved. */
  readonly approvedFiles: number
  /** Paths outside the scope that a person approved. */
  readonly approvedPaths: readonly string[]
}

export interface BestTests {
  /** The tests that counted as fixed. */
  readonly fixed: readonly string[]
  /** The most that passed in one test run. */
  readonly passed: number
}

export const triggerNames = [
  'same-error',
  'verification-attempts',
  'no-file-change',
  'no-improvement',
  'too-many-files',
  'outside-scope',
  'external-blocker',
  'stuck',
] as const

export type TriggerName = (typeof triggerNames)[number]

/** What a person decided when a run escalated. */
export type EscalationChoice = 'guidance' | 'override' | 'terminate' | 'approve'

/** Recorded with the end of the iteration that escalated. */
export interface Escalated {
  readonly triggers: readonly TriggerName[]
  readonly choice: EscalationChoice
}

export const initialAttempts: Attempts = {
  verifications: 0,
  withoutChange: 0,
  testRuns: 0,
  last: undefined,
  ignored: [],
  approvedFiles: 0,
  approvedPaths: [],
}

/** How many paths outside the scope are recorded (E9). */
export const pathsMax = 50
const textCharsMax = 500
const idCharsMax = 300
/** How many fixed tests are remembered (E9). */
const fixedMax = 1000

export function measureChecks(checks: readonly CheckResult[]): IterationMeasure {
  const isMet = ({ status, allowed }: CheckResult): boolean => status === 'met' || allowed === true
  const counts = checks.flatMap(({ counts: found }) => (found === undefined ? [] : [found]))
  const fresh = checks.some((check) => check.reused !== true && check.counts !== undefined)
  const cannotRun = checks.find((check) => check.cannotRun !== undefined)
  const failing = listFailing(checks)
  return {
    met: checks.filter(isMet).map(({ check }) => check),
    unmet: checks.filter((check) => !isMet(check)).map(({ check }) => check),
    ...(fresh ? { ranTests: true } : {}),
    ...(counts.length === 0 ? {} : { tests: counts.reduce(addCounts) }),
    ...defined({ failing }),
    ...(cannotRun === undefined
      ? {}
      : { cannotRun: `${cannotRun.check}: ${cannotRun.cannotRun ?? ''}`.slice(0, textCharsMax) }),
  }
}

/** Undefined: not all runners that count report ids, or too many tests fail. */
function listFailing(checks: readonly CheckResult[]): readonly string[] | undefined {
  const counting = checks.filter(({ counts }) => counts !== undefined)
  if (counting.length === 0 || counting.some(({ failing }) => failing === undefined))
    return undefined
  const ids = counting.flatMap(({ check, failing = [] }) =>
    failing.map((id) => `${check}: ${id}`.slice(0, idCharsMax)),
  )
  return ids.length > failingMax ? undefined : ids
}

const addCounts = (one: TestCounts, other: TestCounts): TestCounts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
})

/** Whether one more iteration made measurable progress. */
export function isProgress(
  { last, best }: Pick<Attempts, 'last' | 'best'>,
  now: IterationMeasure,
): boolean {
  if (last === undefined) return false
  if (now.met.some((check) => last.unmet.includes(check))) return true
  if (last.tests === undefined || now.tests === undefined) return false
  if (last.failing === undefined || now.failing === undefined) {
    return now.tests.failed < last.tests.failed || now.tests.passed > last.tests.passed
  }
  const passedBefore = Math.max(best?.passed ?? 0, last.tests.passed)
  return listFixed({ last, best }, now).length > 0 || now.tests.passed > passedBefore
}

/** Tests that failed before, do not fail now, and have not counted as fixed yet. */
function listFixed(
  { last, best }: Pick<Attempts, 'last' | 'best'>,
  now: IterationMeasure,
): readonly string[] {
  const failing = new Set(now.failing)
  const counted = new Set(best?.fixed)
  return (last?.failing ?? []).filter((id) => !failing.has(id) && !counted.has(id))
}

function followBest(attempts: Attempts, now: IterationMeasure): BestTests | undefined {
  const { best } = attempts
  if (now.failing === undefined || now.tests === undefined) return best
  return {
    fixed: [...(best?.fixed ?? []), ...listFixed(attempts, now)].slice(-fixedMax),
    passed: Math.max(best?.passed ?? 0, now.tests.passed),
  }
}

export interface IterationFacts {
  readonly measure?: IterationMeasure | undefined
  /** Undefined: the run has no workspace. */
  readonly changedFiles: boolean | undefined
  readonly escalated?: Escalated | undefined
}

/** The counters after one more iteration that counts. */
export function followAttempts(attempts: Attempts, facts: IterationFacts): Attempts {
  const counted = count(attempts, facts)
  return facts.escalated === undefined ? counted : settle(counted, facts.escalated)
}

function count(attempts: Attempts, { measure, changedFiles }: IterationFacts): Attempts {
  const withoutChange = changedFiles === false ? attempts.withoutChange + 1 : 0
  if (measure === undefined) return { ...attempts, withoutChange }
  const best = defined({ best: followBest(attempts, measure) })
  if (isProgress(attempts, measure)) {
    return { ...attempts, withoutChange: 0, verifications: 0, testRuns: 0, last: measure, ...best }
  }
  const isFirst = attempts.last?.tests === undefined
  return {
    ...attempts,
    withoutChange,
    last: measure,
    ...best,
    verifications: attempts.verifications + (measure.unmet.length > 0 ? 1 : 0),
    testRuns: attempts.testRuns + (measure.ranTests === true && !isFirst ? 1 : 0),
  }
}

/** A person let the run continue: the counters start again. */
function settle(attempts: Attempts, { triggers, choice }: Escalated): Attempts {
  if (choice === 'terminate') return attempts
  const { last, best, ignored, approvedFiles, approvedPaths } = attempts
  const again = { ...resetAttempts(attempts), last, ...defined({ best }) }
  if (choice === 'override') return { ...again, ignored: [...new Set([...ignored, ...triggers])] }
  if (choice !== 'approve') return again
  return {
    ...again,
    // Counted again in each iteration: what was approved is past.
    approvedFiles:
      last?.filesPer === 'iteration' ? approvedFiles : Math.max(approvedFiles, last?.files ?? 0),
    approvedPaths: [...new Set([...approvedPaths, ...(last?.outside ?? [])])].slice(-pathsMax * 4),
  }
}

/** The counters start again; what people approved stays approved. */
export const resetAttempts = ({ ignored, approvedFiles, approvedPaths }: Attempts): Attempts => ({
  ...initialAttempts,
  ...defined({ ignored, approvedFiles, approvedPaths }),
})
