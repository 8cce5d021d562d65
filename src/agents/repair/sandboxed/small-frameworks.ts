/** Replacements for uvu and tape. */

import { callWithTimeout } from './run-with-timeout.ts'
import type { CaseOptions, Collector, TestFunction } from './suite.ts'

export type Any = Record<string, unknown>

export const findOptions = (args: readonly unknown[]): Any =>
  (args.find((arg) => typeof arg === 'object' && arg !== null && !Array.isArray(arg)) ?? {}) as Any

export function createUvu(current: () => Collector): Any {
  const suite = (name = ''): TestFunction & Any => {
    const context: Any = {}
    const owner = current()
    const add =
      (options: CaseOptions): TestFunction =>
      (title, body) =>
        owner.add([name, title].join(' '), () => (body as TestFunction)({ ...context }), options)
    const hook = (kind: 'before' | 'after'): TestFunction => {
      const each = kind === 'before' ? 'beforeEach' : 'afterEach'
      const one = (body: unknown): void =>
        void owner.suite[kind].push(() => (body as TestFunction)(context))
      return Object.assign(one, {
        each: (body: TestFunction) => void owner.suite[each].push(() => body(context)),
      })
    }
    return Object.assign(add({}) as TestFunction & Any, {
      only: add({ isOnly: true }),
      skip: add({ isSkipped: true }),
      before: hook('before'),
      after: hook('after'),
      run() {},
    })
  }
  const test = (...args: unknown[]): unknown => suite()(...args)
  return { suite, test: Object.assign(test, suite(), { run() {} }), exec() {} }
}

interface Harness {
  (...args: unknown[]): unknown
  createStream(options: { readonly objectMode: true }): NodeJS.ReadableStream
}

/** The real tape does the work, with a separate harness for each test. */
export function createTape(
  current: () => Collector,
  real: unknown,
  testTimeoutMs: number,
): unknown {
  const { createHarness } = real as { createHarness(): Harness }
  const make =
    (options: CaseOptions): TestFunction =>
    (...args) => {
      const body = args.find((arg) => typeof arg === 'function') as TestFunction | undefined
      const given = findOptions(args)
      const isSkipped = options.isSkipped === true || body === undefined || given['skip'] === true
      const name = typeof args[0] === 'string' ? args[0] : (body?.name ?? '')
      const inner = (t: unknown): unknown => callWithTimeout(() => body?.(t), testTimeoutMs)
      const run = (): Promise<void> => runHarness(createHarness(), [name, given], inner)
      current().add(name, run, { ...options, isSkipped })
    }
  const whole = make({})
  const more = { skip: make({ isSkipped: true }), only: make({ isOnly: true }) }
  const rest = {
    onFinish() {},
    onFailure() {},
    createHarness,
    comment() {},
    getHarness: () => tape,
  }
  const tape: unknown = Object.assign(whole, more, rest, { test: whole, default: whole })
  return tape
}

function runHarness(harness: Harness, args: readonly unknown[], body: TestFunction): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: unknown
    harness
      .createStream({ objectMode: true })
      .on('data', (row: unknown) => {
        const one = row as Any
        if (
          one['type'] === 'assert' &&
          one['ok'] === false &&
          one['todo'] !== true &&
          one['skip'] !== true
        ) {
          failure ??= new Error(String(one['name']))
        }
      })
      .on('end', () => (failure === undefined ? resolve() : reject(failure as Error)))
    harness(...args, (t: unknown) => {
      try {
        return body(t)
      } catch (error) {
        // tape would wait for an end that never comes.
        reject(error)
        throw error
      }
    })
  })
}
