/**
 * What was observed while a check ran: which tests its runner declared and what became of each, which files of
 * the tree were read, and which were written.
 *
 * 1. Ids and files come from the runner. Results are a claim: product code runs in the same process and can
 *    change them. Planted failures, missing ids and control runs decide whether a claim is believed.
 * 2. What was read and written is observed from outside the sandbox and is a fact.
 * 3. Absent is not empty: `tests` is absent where no runner reported, `read` where reads cannot be observed.
 */

import type { CheckAnswer } from '../../engine/index.ts'

/** What a check answered, before it is bound to a step. */
export type Answered = CheckAnswer

/** Runners that report the ids of their tests. `junit`: a report in JUnit XML that the check wrote. */
export const runnerNames = [
  'node:test',
  'vitest',
  'jest',
  'mocha',
  'ava',
  'tap',
  'tape',
  'pytest',
  'unittest',
  'go',
  'cargo',
  'junit',
] as const
export type RunnerName = (typeof runnerNames)[number]

export type TestStatus = 'passed' | 'failed' | 'skipped'

export interface ObservedTest {
  /** `<file> > <title> > <title>`; unique within one run: a repeated one ends in ` #2`. */
  readonly id: string
  /** From the top of the tree, with `/` between the parts; `''`: the runner does not say. */
  readonly file: string
  /** Suites first. `['(file)']`: the file could not be loaded. */
  readonly titles: readonly string[]
  readonly status: TestStatus
  /** Of a failure: the beginning of its message, where the runner reports it. */
  readonly message?: string
  /** Where its function is, if that is elsewhere: a test that a class inherits. */
  readonly body?: TestLocation
}

export interface TestLocation {
  readonly file: string
  readonly titles: readonly string[]
}

export interface ObservedRunner {
  readonly name: RunnerName
  /** Absent: it ended without saying so. */
  readonly exitCode?: number
}

/** What makes a report unreliable. None of these certifies without a person. */
export interface ChannelProblem {
  readonly code: 'extra-connection' | 'no-end' | 'malformed' | 'too-much'
  readonly text: string
}

/** What a check's runners reported. */
export interface RunnerReport {
  /** Absent: no runner reported. */
  readonly tests?: readonly ObservedTest[]
  readonly runners: readonly ObservedRunner[]
  readonly problems: readonly ChannelProblem[]
  /** Functions that were replaced while the tests ran: `assert.equal`, `Object.is`, `process.exit`. */
  readonly replaced: readonly string[]
}

/** Paths from the top of the tree, sorted. */
export interface FileAccess {
  /** Files of the tree that were opened. Absent: reads cannot be observed here. */
  readonly read?: readonly string[]
  /**
   * What was changed, created or removed in the tree. A folder: something in it was created and removed
   * again. Absent: writes cannot be observed here.
   */
  readonly written?: readonly string[]
}

export interface Observation extends RunnerReport, FileAccess {
  readonly result: Answered
  readonly startedAtMs: number
  readonly endedAtMs: number
}

/** How a check is run. */
export interface ObserveOptions {
  /** Run only these tests where the runner can; more may run. Absent: all. */
  readonly only?: readonly ObservedTest[]
  /**
   * `other`: with other variables, another user name, other paths of the temporary folder and other file
   * times, so that code which recognises its usual environment behaves differently.
   */
  readonly environment?: 'usual' | 'other'
}
