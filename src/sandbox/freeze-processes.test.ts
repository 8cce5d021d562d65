import { type ChildProcess, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { findProgram } from './find-program.ts'
import { type Freezing, freezing } from './freeze-processes.ts'
import { isAlive } from './process-group.ts'
import { descendantsOf } from './process-tree.ts'

const bwrap = findProgram('bwrap')

/** In a namespace of its own, so that whoever loses its parent stays below the first. */
async function started(code: string): Promise<{
  readonly folder: string
  readonly child: ChildProcess
}> {
  const folder = await mkdtemp(join(tmpdir(), 'loopwright-freeze-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const walls = ['--unshare-pid', '--die-with-parent', '--dev-bind', '/', '/', '--proc', '/proc']
  const program = ['--chdir', folder, '--', process.execPath, '-e', code]
  const child = spawn(bwrap ?? '', [...walls, ...program], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { folder, child }
}

const sizeIn = (folder: string, name: string): number =>
  statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0

async function untilMore(folder: string, names: readonly string[]): Promise<void> {
  const before = names.map((name) => sizeIn(folder, name))
  while (!names.every((name, index) => sizeIn(folder, name) > (before[index] ?? 0))) await sleep(10)
}

/** Time enough for thousands of writes. */
async function expectStillness(folder: string, names: readonly string[]): Promise<void> {
  const before = names.map((name) => sizeIn(folder, name))
  await sleep(200)
  expect(names.map((name) => sizeIn(folder, name))).toEqual(before)
}

const writing = (name: string): string =>
  `for (;;) require('node:fs').appendFileSync('${name}', '.')`

const bySignals = ({ pid }: ChildProcess): Freezing => freezing(() => pid, undefined)

test.skipIf(bwrap === undefined)(
  'holds threads, sessions and orphans without a freezer',
  async () => {
    const start = (code: string): string =>
      `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(code)}],
      { detached: true, stdio: 'ignore' });`
    const { folder, child } = await started(`
    ${start(writing('child'))}
    ${start(`${start(writing('orphan'))} process.exit()`)}
    new (require('node:worker_threads').Worker)(${JSON.stringify(writing('thread'))}, { eval: true })
    setTimeout(() => { ${writing('main')} }, 200)`)
    const names = ['child', 'orphan', 'thread', 'main']
    await untilMore(folder, names)
    const held = bySignals(child)
    for (let round = 0; round < 3; round++) {
      expect(await held.pause()).toBe(true)
      await expectStillness(folder, names)
      held.resume()
      await untilMore(folder, names)
    }
    expect(await held.pause()).toBe(true)
    const all = descendantsOf(child.pid ?? 0)
    expect(all.length).toBeGreaterThanOrEqual(4)
    child.kill('SIGKILL')
    while (all.some(isAlive)) await sleep(5)
  },
)

test.skipIf(bwrap === undefined)('holds processes that let each other go on', async () => {
  const { folder, child } = await started(`
    const { appendFileSync } = require('node:fs')
    const wake = (pid, name) => {
      for (;;) { try { process.kill(pid, 'SIGCONT') } catch {} appendFileSync(name, '.') }
    }
    const code = \`const { appendFileSync } = require('node:fs');(\${wake})(process.ppid, 'two')\`
    const two = require('node:child_process').spawn(process.execPath, ['-e', code])
    setTimeout(() => wake(two.pid, 'one'), 200)`)
  const names = ['one', 'two']
  await untilMore(folder, names)
  const held = bySignals(child)
  for (let round = 0; round < 10; round++) {
    expect(await held.pause()).toBe(true)
    await expectStillness(folder, names)
    held.resume()
  }
})

test('what goes on again before it was held is not held', async () => {
  let isFrozen = false
  const freezer = {
    freeze: () => {},
    isFrozen: () => isFrozen,
    thaw: () => {
      isFrozen = false
    },
  }
  const held = freezing(() => undefined, freezer)
  const pausing = held.pause()
  held.resume()
  expect(await pausing).toBe(true)
  isFrozen = true
  expect(await held.pause()).toBe(true)
})

test('what cannot be held is told: an unknown process, a group that is gone', async () => {
  expect(await freezing(() => undefined, undefined).pause()).toBe(false)
  const refuse = (): never => {
    throw new Error('There is no such group.')
  }
  const gone = { freeze: refuse, isFrozen: refuse, thaw: () => {} }
  expect(await freezing(() => 1, gone).pause()).toBe(false)
})
