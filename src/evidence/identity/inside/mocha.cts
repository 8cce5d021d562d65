/**
 * Reports the tests of mocha: its runner in the main process emits an event for each, serial or parallel. A file that
 * does not load ends mocha before there is a runner: then the last file that started to load is the one.
 */

const { EventEmitter }: typeof import('node:events') = require('node:events')

type Send = (record: object) => void

interface Test {
  readonly file?: string
  readonly parent?: { readonly file?: string }
  readonly ctx?: { readonly currentTest?: Test }
  readonly fn?: unknown
  titlePath?(): readonly string[]
}

interface Runner {
  readonly suite?: { eachTest(visit: (test: Test) => void): void }
}

const { emit } = EventEmitter.prototype
const statuses: Readonly<Record<string, string>> = {
  pass: 'passed',
  fail: 'failed',
  pending: 'skipped',
}

/** In parallel mode it comes from another process, as a plain object. */
function readMessage(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown }
  return typeof message === 'string' ? message : ''
}

const findFile = (test: Test): string =>
  test.file ?? test.ctx?.currentTest?.file ?? test.parent?.file ?? ''

function watchMocha(send: Send): { atExit(code: number): void } {
  let isStarted = false
  let loading: string | undefined
  const follow = (runner: Runner, event: unknown, test: Test, error: unknown): void => {
    if (event === 'start') {
      isStarted = true
      runner.suite?.eachTest((one) => {
        if (one.titlePath !== undefined)
          send({ type: 'declared', file: findFile(one), titles: one.titlePath() })
      })
      return
    }
    const status = typeof event === 'string' ? statuses[event] : undefined
    if (status === undefined || test?.titlePath === undefined) return
    send({
      type: 'test',
      file: findFile(test),
      titles: test.titlePath(),
      status,
      ...(status === 'failed' ? { message: readMessage(error).slice(0, 2000) } : {}),
    })
  }
  EventEmitter.prototype.emit = function (
    this: object,
    event: string | symbol,
    ...args: unknown[]
  ) {
    const { name } = this.constructor
    if (name.endsWith('Runner')) follow(this, event, args[0] as Test, args[1])
    if (name === 'Suite' && event === 'pre-require') loading = String(args[1])
    if (name === 'Suite' && event === 'post-require') loading = undefined
    return emit.call(this as never, event, ...args)
  }
  return {
    atExit(code) {
      if (isStarted || loading === undefined || code === 0) return
      send({ type: 'test', file: loading, titles: ['(file)'], status: 'failed' })
    },
  }
}

module.exports = { watchMocha }
