/**
 * Loaded into every Node process of a check before anything else (`NODE_OPTIONS=--require`). In the process of a test
 * runner it reports the tests and their results; in every process it reports functions that were replaced.
 */

const { send }: { send: (record: object) => void } = require('./channel.cjs')
const fs: typeof import('node:fs') = require('node:fs')
const path: typeof import('node:path') = require('node:path')
const threads: typeof import('node:worker_threads') = require('node:worker_threads')

/** Set in the processes that a runner starts: a runner in there is part of a test. */
const runnerVariable = 'LOOPWRIGHT_RUNNER'

/** Where a reporter that the runner loads finds the connection; it removes it at once. */
const shared = Symbol.for('loopwright.identity')

let atExit: (code: number) => void = () => {}
let checkReplaced: () => void = () => {}

const { emit } = process
process.on('exit', (code) => {
  atExit(code)
  checkReplaced()
  send({ type: 'end', code })
})
// Another listener may still set another code.
process.emit = function (this: NodeJS.Process, ...args: readonly unknown[]) {
  const isHandled = emit.apply(this, args as never)
  const [event] = args
  if (event === 'exit' && process.exitCode !== undefined)
    send({ type: 'end', code: Number(process.exitCode) || 0 })
  return isHandled
} as typeof emit

checkReplaced = require('./witness.cjs').startWitness(send)
require('./looks.cjs').startLooks(send)
checkWhenResultsAreSent()

const main = mainFile()
// Our own programs run no code of the repository, and use this connection to report.
if (path.dirname(main) !== __dirname) {
  if (threads.isMainThread && process.env[runnerVariable] === undefined) findRunner(main)
  // Code of the repository that requires these modules opens another connection, which is noticed.
  for (const file of Object.keys(require.cache))
    if (path.dirname(file) === __dirname) delete require.cache[file]
}

/** Runners kill their workers when they are done, so the end of the process would be too late. */
function checkWhenResultsAreSent(): void {
  const sendMessage = process.send
  if (sendMessage !== undefined)
    process.send = function (this: NodeJS.Process, ...args: readonly unknown[]) {
      checkReplaced()
      return sendMessage.apply(this, args as never)
    } as typeof sendMessage
  if (threads.isMainThread) return
  const { postMessage } = threads.MessagePort.prototype
  threads.MessagePort.prototype.postMessage = function (...args) {
    checkReplaced()
    return postMessage.apply(this, args)
  }
}

function findRunner(file: string): void {
  const { restrict }: { restrict: (runner: string) => void } = require('./restrict.cjs')
  const is = (...names: readonly string[]): boolean =>
    names.some((name) => file.endsWith(`/node_modules/${name}`))
  if (is('vitest/vitest.mjs')) {
    restrict('vitest')
    addReporter('vitest', '--reporter')
  } else if (is('jest/bin/jest.js', 'jest-cli/bin/jest.js', 'react-scripts/scripts/test.js')) {
    restrict('jest')
    // Otherwise a few or fast test files run in this process. Jest before 29 refuses unknown options.
    const isKnown = jestMajor(file) >= 29
    addReporter('jest', '--reporters', ...(isKnown ? ['--workerIdleMemoryLimit=64GB'] : []))
  } else if (is('mocha/lib/cli/cli.js', 'mocha/bin/mocha.js', 'mocha/bin/_mocha')) {
    restrict('mocha')
    watchMocha()
  } else if (is('tap/dist/esm/run.mjs', '@tapjs/run/dist/esm/index.js', 'tap/bin/run.js')) {
    restrict('tap')
    begin('tap')
    require('./tap.cjs').watchTap(send)
  } else if (is('ava/entrypoints/cli.mjs')) {
    restrict('ava')
    begin('ava')
    Object.assign(globalThis, { [shared]: send })
    require('node:module').register(`file://${path.join(__dirname, 'ava-hooks.mjs')}`)
  } else if (process.env['NODE_TEST_CONTEXT'] === undefined) {
    restrict('node:test')
    require('./node-test.cjs').watchNodeTest(send, () => begin('node:test'))
  }
}

/** The major version of the jest that this program starts; 0: unknown. */
function jestMajor(file: string): number {
  try {
    const isOwn = /\/jest(?:-cli)?\/bin\/jest\.js$/.test(file)
    const manifest = isOwn
      ? path.join(path.dirname(file), '../package.json')
      : require('node:module').createRequire(file).resolve('jest/package.json')
    const { version = '' } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version?: string }
    return Number.parseInt(version, 10) || 0
  } catch {
    return 0
  }
}

function begin(name: string): void {
  process.env[runnerVariable] = name
  send({ type: 'runner', name })
}

/** With links resolved; empty if it is not a file, as in `node -e`. */
function mainFile(): string {
  try {
    return fs.realpathSync(process.argv[1] ?? '')
  } catch {
    return ''
  }
}

/** After existing reporters: a named reporter replaces the default one. */
function addReporter(name: string, flag: string, ...others: readonly string[]): void {
  begin(name)
  const hasOwn = process.argv.some((arg) => arg === flag || arg.startsWith(`${flag}=`))
  const flags = [
    ...others,
    ...(hasOwn ? [] : [`${flag}=default`]),
    `${flag}=${path.join(__dirname, 'reporter.cjs')}`,
  ]
  const end = process.argv.indexOf('--')
  process.argv.splice(end < 0 ? process.argv.length : end, 0, ...flags)
  Object.assign(globalThis, { [shared]: send })
}

/** Its first process may start another one with options for Node: only the one with a runner counts. */
function watchMocha(): void {
  if (process.env['MOCHA_WORKER_ID'] !== undefined) return
  let isStarted = false
  const { atExit: last } = require('./mocha.cjs').watchMocha((record: object) => {
    if (!isStarted) begin('mocha')
    isStarted = true
    checkReplaced()
    send(record)
  })
  atExit = last
}
