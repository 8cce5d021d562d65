/**
 * Reports the tests of node:test. Whatever the reporters, all events pass through one object stream, whose class name is
 * internal to Node.
 */

const { Readable }: typeof import('node:stream') = require('node:stream')

type Send = (record: object) => void

interface TestEvent {
  readonly type: string
  readonly data: {
    readonly name: string
    readonly nesting: number
    readonly file?: string
    readonly skip?: unknown
    readonly todo?: unknown
    readonly details?: { readonly type?: string; readonly error?: TestError }
  }
}

interface TestError extends Error {
  readonly failureType?: string
}

const { push } = Readable.prototype

function watchNodeTest(send: Send, onStart: () => void): void {
  // Events come in order of definition, so the suites of a test are those that started last.
  const started: { name: string; file: string }[] = []
  let isStarted = process.execArgv.includes('--test')
  if (isStarted) onStart()
  const follow = ({ type, data }: TestEvent): void => {
    if (!isStarted) onStart()
    isStarted = true
    if (type !== 'test:start' && type !== 'test:pass' && type !== 'test:fail') return
    const { name, nesting, file = '' } = data
    if (type === 'test:start') {
      started.length = nesting
      started.push({ name, file })
      return
    }
    const suites = started.slice(0, nesting)
    const record = toResult(type === 'test:pass', data)
    if (record === undefined) return
    const isFile = nesting === 0 && file.endsWith(name) && file !== ''
    send({
      type: 'test',
      file: suites[0]?.file ?? file,
      titles: isFile ? ['(file)'] : [...suites.map((one) => one.name), name],
      ...record,
    })
  }
  Readable.prototype.push = function (this: object, chunk: unknown, ...rest: never[]) {
    if (this.constructor.name === 'TestsStream') {
      const event = chunk as Partial<TestEvent> | null
      if (typeof event?.type === 'string' && event.data !== undefined) follow(event as TestEvent)
    }
    return push.call(this as never, chunk, ...rest)
  }
}

/** Undefined: a suite, whose tests are reported themselves. */
function toResult(passed: boolean, data: TestEvent['data']): object | undefined {
  const { details, skip, todo } = data
  const error = details?.error
  if (details?.type === 'suite' && (passed || error?.failureType === 'subtestsFailed'))
    return undefined
  if (isSet(skip) || isSet(todo)) return { status: 'skipped' }
  if (passed) return { status: 'passed' }
  const cause = error?.cause
  const message = cause instanceof Error ? cause.message : cause
  const text = typeof message === 'string' ? message : (error?.message ?? '')
  return { status: 'failed', message: text.slice(0, 300) }
}

const isSet = (value: unknown): boolean => value !== undefined && value !== false

module.exports = { watchNodeTest }
