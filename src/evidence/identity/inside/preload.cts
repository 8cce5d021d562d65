/**
 * Loaded into every Node process of a check before anything else (`NODE_OPTIONS=--require`). In the process of a
 * test runner it passes on which tests there are and what became of them; in every one it reports functions that
 * were replaced.
 */

const { send }: { send: (record: object) => void } = require('./channel.cjs')
const threads: typeof import('node:worker_threads') = require('node:worker_threads')

/** Set in what a runner starts: a runner in there is something that a test tries out. */
const mark = 'LOOPWRIGHT_RUNNER'

const isInner = process.env[mark] !== undefined

function begin(name: string): void {
  process.env[mark] = name
  send({ type: 'runner', name })
}

// Whoever asks for it later gets another connection, which is noticed.
for (const name of ['./channel.cjs', './preload.cjs']) delete require.cache[require.resolve(name)]

const onExit = process.on.bind(process)
onExit('exit', (code: number) => {
  send({ type: 'end', code })
})

if (threads.isMainThread && !isInner) {
  const { watchNodeTest } = require('./node-test.cjs')
  if (process.env['NODE_TEST_CONTEXT'] === undefined) watchNodeTest(send, () => begin('node:test'))
}
