/**
 * What was observed while a check ran: the tests that its runner declared and their results, and which files of the
 * tree were read and written.
 *
 * 1. Ids and files come from the runner. Results are a claim: product code runs in the same process and can change
 *    them. Planted failures, missing ids and control runs decide whether to believe a claim.
 * 2. Reads and writes are observed from outside the sandbox and are facts.
 * 3. Absent is not empty: `tests` is absent if no runner reported, `read` if reads cannot be observed.
 */

import type { UnboundCheckResult } from '../../engine/index.ts'

/** Runners that report test ids. `junit`: a JUnit XML report that the check wrote. */
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
  /** `<file> > <title> > <title>`; unique within one run: a duplicate ends in ` #2`. */
  readonly id: string
  /** Relative to the tree, with `/` separators; `''`: the runner does not report it. */
  readonly file: string
  /** Suites first. `['(file)']`: the file could not be loaded. */
  readonly titles: readonly string[]
  readonly status: TestStatus
  /** For a failure: the start of its message, if the runner reports it. */
  readonly message?: string
  /** Where its function is, if that is elsewhere: for an inherited test. */
  readonly body?: TestLocation
}

export interface TestLocation {
  readonly file: string
  readonly titles: readonly string[]
}

export interface ObservedRunner {
  readonly name: RunnerName
  /** Absent: it did not report its end. */
  readonly exitCode?: number
}

/** What makes a report unreliable. With any of these, only a person can certify. */
export interface ChannelProblem {
  readonly code: 'extra-connection' | 'no-end' | 'malformed' | 'too-much'
  readonly text: string
}

/** Paths relative to the tree. */
export interface FileLook {
  /** `(eval)`: code that is not in a file. */
  readonly by: string
  /** `*`: more files than are reported. */
  readonly at: string
}

/** What the runners of a check reported. */
export interface RunnerReport {
  /** Absent: no runner reported. */
  readonly tests?: readonly ObservedTest[]
  readonly runners: readonly ObservedRunner[]
  readonly problems: readonly ChannelProblem[]
  /** Functions that were replaced while the tests ran: `assert.equal`, `Object.is`, `process.exit`. */
  readonly replaced: readonly string[]
  /** Which files of the tree its code opened or looked for. Absent: none were reported. */
  readonly looked?: readonly FileLook[]
}

/** Paths relative to the tree, sorted. */
export interface FileAccess {
  /** Files of the tree that were opened. Absent: reads cannot be observed here. */
  readonly read?: readonly string[]
  /**
   * What was changed, created or removed in the tree. A folder: something in it was created and removed again.
   * Absent: writes cannot be observed here.
   */
  readonly written?: readonly string[]
}

export interface Observation extends RunnerReport, FileAccess {
  readonly result: UnboundCheckResult
  readonly startedAtMs: number
  readonly endedAtMs: number
}

/** How a check is run. */
export interface ObserveOptions {
  /** Run only these tests if the runner can; more may run. Absent: all. */
  readonly only?: readonly ObservedTest[]
  /**
   * `other`: with other variables, user name, temporary folder and file times, so that code that recognizes its usual
   * environment behaves differently.
   */
  readonly environment?: 'usual' | 'other'
}
