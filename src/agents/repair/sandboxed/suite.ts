/** The tests of one file: their names, their hooks, and how one is run. */

import { runWithTimeout } from './run-with-timeout.ts'

export type TestFunction = (...args: unknown[]) => unknown

export interface Suite {
  readonly name: string
  readonly parent: Suite | undefined
  readonly before: TestFunction[]
  readonly after: TestFunction[]
  readonly beforeEach: TestFunction[]
  readonly afterEach: TestFunction[]
  isSkipped: boolean
  isOnly: boolean
}

export interface Case {
  readonly id: string
  readonly suite: Suite
  readonly isSkipped: boolean
  readonly isOnly: boolean
  run(): unknown
}

export interface Collector {
  readonly cases: Case[]
  suite: Suite
  readonly promises: Promise<unknown>[]
  add(name: string, run: () => unknown, options?: CaseOptions): void
  group(name: string, fill: () => unknown, options?: CaseOptions): void
}

export interface CaseOptions {
  readonly isSkipped?: boolean
  readonly isOnly?: boolean
}

export const createSuite = (name: string, parent: Suite | undefined): Suite => ({
  name,
  parent,
  before: [],
  after: [],
  beforeEach: [],
  afterEach: [],
  isSkipped: parent?.isSkipped ?? false,
  isOnly: parent?.isOnly ?? false,
})

export function createCollector(file: string): Collector {
  const used = new Map<string, number>()
  const collector: Collector = {
    cases: [],
    suite: createSuite(file, undefined),
    promises: [],
    add(name, run, { isSkipped = false, isOnly = false } = {}) {
      const { suite } = collector
      const path = [...listSuites(suite).map((one) => one.name), name].join(' > ')
      const times = (used.get(path) ?? 0) + 1
      used.set(path, times)
      collector.cases.push({
        id: times === 1 ? path : `${path} #${times}`,
        suite,
        isSkipped: isSkipped || suite.isSkipped,
        isOnly: isOnly || suite.isOnly,
        run,
      })
    },
    group(name, fill, { isSkipped = false, isOnly = false } = {}) {
      const outer = collector.suite
      const suite = createSuite(name, outer)
      suite.isSkipped ||= isSkipped
      suite.isOnly ||= isOnly
      collector.suite = suite
      try {
        fill()
      } finally {
        collector.suite = outer
      }
    },
  }
  return collector
}

/** Outermost first. */
export function listSuites(suite: Suite | undefined): Suite[] {
  return suite === undefined ? [] : [...listSuites(suite.parent), suite]
}

export interface CaseResult {
  readonly ok: boolean
  readonly error?: unknown
}

/** Runs cases one after the other; the `before` hooks of a suite run with its first case. */
export function createCaseRunner(timeoutMs: () => number): (one: Case) => Promise<CaseResult> {
  const startedSuites = new Map<Suite, unknown>()
  const all = async (functions: readonly TestFunction[]): Promise<void> => {
    for (const one of functions) await runWithTimeout(() => callWithDone(one), timeoutMs())
  }
  return async ({ suite, run }) => {
    const path = listSuites(suite)
    try {
      for (const one of path) {
        if (startedSuites.has(one)) {
          if (startedSuites.get(one) !== undefined) throw startedSuites.get(one)
          continue
        }
        startedSuites.set(one, undefined)
        await all(one.before).catch((error: unknown) => {
          startedSuites.set(one, error ?? new Error('A hook failed.'))
          throw error
        })
      }
      for (const one of path) await all(one.beforeEach)
      await runWithTimeout(run, timeoutMs())
      for (const one of path.toReversed()) await all(one.afterEach)
      return { ok: true }
    } catch (error) {
      for (const one of path.toReversed()) await all(one.afterEach).catch(() => undefined)
      return { ok: false, error }
    }
  }
}

/** Passes the `done` callback of mocha and jest to functions that expect it. */
export function callWithDone(one: TestFunction, context: unknown = mochaContext()): unknown {
  if (one.length === 0) return one.call(context)
  return new Promise((resolve, reject) => {
    const done = (error?: unknown): void => {
      if (error === undefined || error === null) resolve(undefined)
      else reject(error instanceof Error ? error : new Error('done was called with a reason'))
    }
    Object.assign(done, { fail: reject })
    const result = one.call(context, done)
    if (result instanceof Promise) result.then(resolve, reject)
  })
}

export class Skipped extends Error {}

/** What mocha tests access through `this`. */
export function mochaContext(): Record<string, unknown> {
  const context: Record<string, unknown> = {
    skip() {
      throw new Skipped('skipped')
    },
    currentTest: {},
    test: {},
  }
  for (const name of ['timeout', 'slow', 'retries']) context[name] = () => context
  return context
}
