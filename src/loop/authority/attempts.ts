/**
 * How long a run has made no progress: counters over its iterations, which the triggers read
 * (`escalation.ts`). Progress resets them: a check that was not met is met, fewer tests fail, or more tests pass.
 * A change of the agent, or a person who lets the run continue, resets them too.
 */

import { defined } from '../defined.ts'
import type { CheckResult, TestCounts } from '../evidence.ts'

/** What the engine measured at the end of an iteration. */
export interface IterationMeasure {
  /** The checks on the final files. */
  readonly met: readonly string[]
  readonly unmet: readonly string[]
  /** Tests were run, not taken from an earlier result. */
  readonly ranTests?: true
  /** What the test runners counted. Absent: they do not count. */
  readonly tests?: TestCounts
  /** How many files differ from the base. Absent: unknown. */
  readonly files?: number
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
  /** Triggers that a person decided to ignore. */
  readonly ignored: readonly TriggerName[]
  /** How many changed files a person approved. */
  readonly approvedFiles: number
  /** Paths outside the scope that a person approved. */
  readonly approvedPaths: readonly string[]
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

export function measureChecks(checks: readonly CheckResult[]): IterationMeasure {
  const isMet = ({ status, allowed }: CheckResult): boolean => status === 'met' || allowed === true
  const counts = checks.flatMap(({ counts: found }) => (found === undefined ? [] : [found]))
  const fresh = checks.some((check) => check.reused !== true && check.counts !== undefined)
  const cannotRun = checks.find((check) => check.cannotRun !== undefined)
  return {
    met: checks.filter(isMet).map(({ check }) => check),
    unmet: checks.filter((check) => !isMet(check)).map(({ check }) => check),
    ...(fresh ? { ranTests: true } : {}),
    ...(counts.length === 0 ? {} : { tests: counts.reduce(addCounts) }),
    ...(cannotRun === undefined
      ? {}
      : { cannotRun: `${cannotRun.check}: ${cannotRun.cannotRun ?? ''}`.slice(0, textCharsMax) }),
  }
}

const addCounts = (one: TestCounts, other: TestCounts): TestCounts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
})

/** Whether one more iteration made measurable progress. */
export function isProgress(before: IterationMeasure | undefined, now: IterationMeasure): boolean {
  if (before === undefined) return false
  if (now.met.some((check) => before.unmet.includes(check))) return true
  if (before.tests === undefined || now.tests === undefined) return false
  return now.tests.failed < before.tests.failed || now.tests.passed > before.tests.passed
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
  if (isProgress(attempts.last, measure)) {
    return { ...attempts, withoutChange: 0, verifications: 0, testRuns: 0, last: measure }
  }
  const isFirst = attempts.last?.tests === undefined
  return {
    ...attempts,
    withoutChange,
    last: measure,
    verifications: attempts.verifications + (measure.unmet.length > 0 ? 1 : 0),
    testRuns: attempts.testRuns + (measure.ranTests === true && !isFirst ? 1 : 0),
  }
}

/** A person let the run continue: the counters start again. */
function settle(attempts: Attempts, { triggers, choice }: Escalated): Attempts {
  if (choice === 'terminate') return attempts
  const { last, ignored, approvedFiles, approvedPaths } = attempts
  const again = { ...resetAttempts(attempts), last }
  if (choice === 'override') return { ...again, ignored: [...new Set([...ignored, ...triggers])] }
  if (choice !== 'approve') return again
  return {
    ...again,
    approvedFiles: Math.max(approvedFiles, last?.files ?? 0),
    approvedPaths: [...new Set([...approvedPaths, ...(last?.outside ?? [])])].slice(-pathsMax * 4),
  }
}

/** The counters start again; what people approved stays approved. */
export const resetAttempts = ({ ignored, approvedFiles, approvedPaths }: Attempts): Attempts => ({
  ...initialAttempts,
  ...defined({ ignored, approvedFiles, approvedPaths }),
})
