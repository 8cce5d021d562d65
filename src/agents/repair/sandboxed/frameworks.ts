/**
 * Replacements for the test frameworks that collect tests instead of running them. Assertions are
 * the project's own, since they are ordinary modules; `expect` comes from the installed framework.
 */

import assert from 'node:assert'
import { mock } from 'node:test'
import { Unsupported } from './project-modules.ts'
import { runWithTimeout } from './run-with-timeout.ts'
import { type Any, createTape, createUvu, findOptions } from './small-frameworks.ts'
import {
  type CaseOptions,
  type Collector,
  callWithDone,
  Skipped,
  type TestFunction,
} from './suite.ts'

export interface Frameworks {
  /** For `import … from 'vitest'` and the like. */
  findReplacement(specifier: string): unknown
  /** For files that use globals. */
  readonly globals: Readonly<Record<string, unknown>>
}

export interface InstalledFrameworks {
  readonly expect?: unknown
  /** `vi`, `jest`. */
  readonly spies?: Readonly<Record<string, unknown>>
  readonly tape?: unknown
}

type HookName = 'before' | 'after' | 'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach'
type Style = (body: TestFunction, testTimeoutMs: number) => () => unknown

export function createFrameworks(
  current: () => Collector,
  found: InstalledFrameworks,
  testTimeoutMs: number,
): Frameworks {
  const hooks = createHooks(current)
  const group = createDescribe(current)
  const classic = createTest(current, classicStyle, testTimeoutMs)
  const node = createTest(current, nodeStyle, testTimeoutMs)
  const modern = createTest(current, vitestStyle, testTimeoutMs)
  const expect = found.expect ?? createMissing('expect')
  const spies = found.spies ?? {}
  const mocha = {
    describe: group,
    context: group,
    suite: group,
    it: classic,
    specify: classic,
    test: classic,
    ...hooks,
    setup: hooks.beforeEach,
    teardown: hooks.afterEach,
    suiteSetup: hooks.before,
    suiteTeardown: hooks.after,
    run: () => undefined,
  }
  const nodeTest = Object.assign(node, {
    test: node,
    it: node,
    describe: group,
    suite: group,
    ...hooks,
    mock,
  })
  const vitest = {
    describe: group,
    suite: group,
    it: modern,
    test: modern,
    ...hooks,
    expect,
    vi: spies,
    assert,
  }
  const jest = { ...mocha, expect, jest: spies }
  const byName: Readonly<Record<string, unknown>> = {
    'node:test': nodeTest,
    mocha,
    vitest,
    '@jest/globals': jest,
    uvu: createUvu(current),
    ...(found.tape === undefined ? {} : { tape: createTape(current, found.tape, testTimeoutMs) }),
  }
  return {
    findReplacement: (specifier) =>
      Object.hasOwn(byName, specifier) ? byName[specifier] : undefined,
    globals: { ...mocha, expect, jest: spies, vi: spies },
  }
}

function createHooks(current: () => Collector): Readonly<Record<HookName, TestFunction>> {
  const hook =
    (kind: 'before' | 'after' | 'beforeEach' | 'afterEach') =>
    (...args: unknown[]): void => {
      const one = args.find((arg) => typeof arg === 'function')
      if (one !== undefined) current().suite[kind].push(one as TestFunction)
    }
  return {
    before: hook('before'),
    after: hook('after'),
    beforeAll: hook('before'),
    afterAll: hook('after'),
    beforeEach: hook('beforeEach'),
    afterEach: hook('afterEach'),
  }
}

function createDescribe(current: () => Collector): TestFunction {
  const make =
    (options: CaseOptions): TestFunction =>
    (...args) => {
      const fill = args.find((arg) => typeof arg === 'function') as TestFunction | undefined
      const given = findOptions(args)
      const isSkipped = options.isSkipped === true || given['skip'] === true
      current().group(
        String(args[0]),
        () => {
          const result = fill?.call({ timeout() {}, slow() {}, retries() {} })
          if (result instanceof Promise) current().promises.push(result)
        },
        { ...options, isSkipped },
      )
    }
  return withVariants(make)
}

function createTest(
  current: () => Collector,
  style: Style,
  testTimeoutMs: number,
): TestFunction & Any {
  const make =
    (options: CaseOptions): TestFunction =>
    (...args) => {
      const body = args.find((arg) => typeof arg === 'function') as TestFunction | undefined
      const given = findOptions(args)
      const isSkipped =
        options.isSkipped === true ||
        body === undefined ||
        (given['skip'] !== undefined && given['skip'] !== false) ||
        given['todo'] === true
      const name = typeof args[0] === 'function' ? args[0].name : String(args[0])
      const run = body === undefined ? () => undefined : style(body, testTimeoutMs)
      current().add(name, run, { ...options, isSkipped })
      return Promise.resolve()
    }
  return withVariants(make)
}

/** `.skip`, `.only`, `.each` and the like. */
function withVariants(make: (options: CaseOptions) => TestFunction): TestFunction & Any {
  const plain = (): TestFunction & Any => {
    const one = make({}) as TestFunction & Any
    one['each'] = forEach(one)
    return one
  }
  const skip = make({ isSkipped: true }) as TestFunction & Any
  const only = make({ isOnly: true }) as TestFunction & Any
  skip['each'] = forEach(skip)
  only['each'] = forEach(only)
  const whole = plain()
  const conditional =
    (takesTrue: boolean) =>
    (condition: unknown): TestFunction =>
      (condition === true) === takesTrue ? whole : skip
  return Object.assign(whole, {
    skip,
    only,
    todo: skip,
    skipIf: conditional(false),
    runIf: conditional(true),
    concurrent: whole,
    sequential: whole,
    fails: skip,
    failing: skip,
  })
}

const forEach =
  (one: TestFunction) =>
  (table: unknown, ...rest: unknown[]): unknown => {
    if (rest.length > 0 || !Array.isArray(table)) throw new Unsupported('each with a template')
    return (name: string, body: TestFunction): void => {
      for (const [index, row] of (table as unknown[]).entries()) {
        const args = Array.isArray(row) ? (row as unknown[]) : [row]
        one(toTitle(name, args, index), () => body(...args))
      }
    }
  }

function toTitle(name: string, args: readonly unknown[], index: number): string {
  let next = 0
  const title = name.replaceAll(/%[a-z#]/g, (sign) =>
    sign === '%#' ? String(index) : text(args[next++]),
  )
  return `${title} [${index}]`
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)).slice(0, 80)

const classicStyle: Style = (body) => () => callWithDone(body)

/** The context comes first; a test with a second parameter expects a callback. */
const nodeStyle: Style = (body, testTimeoutMs) => () => {
  const context = nodeContext(testTimeoutMs)
  if (body.length < 2) return finished(context, body.call(context, context))
  return callWithDone((done) => body.call(context, context, done))
}

const vitestStyle: Style = (body) => () => {
  const skip = (): never => {
    throw new Skipped('skipped')
  }
  return body({ skip, task: { name: '' }, onTestFinished() {}, expect: undefined })
}

async function finished(context: Any, result: unknown): Promise<void> {
  await result
  await Promise.all(context['pending'] as Promise<unknown>[])
  for (const after of context['ends'] as TestFunction[]) await after()
}

function nodeContext(testTimeoutMs: number): Any {
  const pending: Promise<unknown>[] = []
  const ends: TestFunction[] = []
  const skip = (): never => {
    throw new Skipped('skipped')
  }
  const within: TestFunction[] = []
  const test = async (...args: unknown[]): Promise<void> => {
    const body = args.find((arg) => typeof arg === 'function') as TestFunction | undefined
    if (body === undefined || findOptions(args)['skip'] !== undefined) return
    const run = (async () => {
      for (const one of within) await one()
      await runWithTimeout(nodeStyle(body, testTimeoutMs), testTimeoutMs).catch(
        (error: unknown) => {
          if (!(error instanceof Skipped)) throw error
        },
      )
    })()
    pending.push(run)
    run.catch(() => undefined)
    return run
  }
  return {
    name: '',
    signal: new AbortController().signal,
    pending,
    ends,
    test,
    diagnostic() {},
    plan() {},
    skip,
    todo() {},
    mock,
    assert,
    beforeEach: (one: TestFunction) => void within.push(one),
    before: (one: TestFunction) => one(),
    after: (one: TestFunction) => void ends.push(one),
    afterEach() {},
  }
}

const createMissing = (name: string): unknown =>
  new Proxy(() => undefined, {
    apply() {
      throw new Unsupported(`There is no ${name} here.`)
    },
    get(_target, property) {
      if (typeof property === 'symbol' || property === 'then') return undefined
      throw new Unsupported(`There is no ${name}.${property} here.`)
    },
  })
