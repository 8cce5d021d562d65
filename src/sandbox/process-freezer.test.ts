import { type ChildProcess, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { findProgram } from './find-program.ts'
import { createProcessFreezer, type ProcessFreezer } from './process-freezer.ts'
import { isAlive } from './process-group.ts'
import { listDescendants } from './process-tree.ts'

const bwrap = findProgram('bwrap')

/** Starts code in a separate pid namespace, so that orphans stay descendants of the first process. */
async function start(code: string): Promise<{
  readonly folder: string
  readonly child: ChildProcess
}> {
  const folder = await mkdtemp(join(tmpdir(), 'loopwright-freeze-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const namespace = [
    '--unshare-pid',
    '--die-with-parent',
    '--dev-bind',
    '/',
    '/',
    '--proc',
    '/proc',
  ]
  const program = ['--chdir', folder, '--', process.execPath, '-e', code]
  const child = spawn(bwrap ?? '', [...namespace, ...program], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { folder, child }
}

const fileSize = (folder: string, name: string): number =>
  statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0

async function waitForWrites(folder: string, names: readonly string[]): Promise<void> {
  const before = names.map((name) => fileSize(folder, name))
  while (!names.every((name, index) => fileSize(folder, name) > (before[index] ?? 0)))
    await sleep(10)
}

/** Waits long enough for thousands of writes. */
async function expectNoWrites(folder: string, names: readonly string[]): Promise<void> {
  const before = names.map((name) => fileSize(folder, name))
  await sleep(200)
  expect(names.map((name) => fileSize(folder, name))).toEqual(before)
}

const writeForever = (name: string): string =>
  `for (;;) require('node:fs').appendFileSync('${name}', '.')`

const bySignals = ({ pid }: ChildProcess): ProcessFreezer =>
  createProcessFreezer(() => pid, undefined)

test.skipIf(bwrap === undefined)(
  'pauses threads, sessions and orphans without a cgroup freezer',
  async () => {
    const spawnCode = (code: string): string =>
      `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(code)}],
      { detached: true, stdio: 'ignore' });`
    const { folder, child } = await start(`
    ${spawnCode(writeForever('child'))}
    ${spawnCode(`${spawnCode(writeForever('orphan'))} process.exit()`)}
    new (require('node:worker_threads').Worker)(${JSON.stringify(writeForever('thread'))}, { eval: true })
    setTimeout(() => { ${writeForever('main')} }, 200)`)
    const names = ['child', 'orphan', 'thread', 'main']
    await waitForWrites(folder, names)
    const freezer = bySignals(child)
    for (let round = 0; round < 3; round++) {
      expect(await freezer.pause()).toBe(true)
      await expectNoWrites(folder, names)
      freezer.resume()
      await waitForWrites(folder, names)
    }
    expect(await freezer.pause()).toBe(true)
    const all = listDescendants(child.pid ?? 0)
    expect(all.length).toBeGreaterThanOrEqual(4)
    child.kill('SIGKILL')
    while (all.some(isAlive)) await sleep(5)
  },
)

test.skipIf(bwrap === undefined)('pauses processes that resume each other', async () => {
  const { folder, child } = await start(`
    const { appendFileSync } = require('node:fs')
    const wake = (pid, name) => {
      for (;;) { try { process.kill(pid, 'SIGCONT') } catch {} appendFileSync(name, '.') }
    }
    const code = \`const { appendFileSync } = require('node:fs');(\${wake})(process.ppid, 'two')\`
    const two = require('node:child_process').spawn(process.execPath, ['-e', code])
    setTimeout(() => wake(two.pid, 'one'), 200)`)
  const names = ['one', 'two']
  await waitForWrites(folder, names)
  const freezer = bySignals(child)
  for (let round = 0; round < 10; round++) {
    expect(await freezer.pause()).toBe(true)
    await expectNoWrites(folder, names)
    freezer.resume()
  }
})

test('a resume during a pause ends the pause', async () => {
  let isFrozen = false
  const cgroup = {
    freeze: () => {},
    isFrozen: () => isFrozen,
    thaw: () => {
      isFrozen = false
    },
  }
  const freezer = createProcessFreezer(() => undefined, cgroup)
  const pausing = freezer.pause()
  freezer.resume()
  expect(await pausing).toBe(true)
  isFrozen = true
  expect(await freezer.pause()).toBe(true)
})

test('reports failure for an unknown process and for a group that no longer exists', async () => {
  expect(await createProcessFreezer(() => undefined, undefined).pause()).toBe(false)
  const refuse = (): never => {
    throw new Error('There is no such group.')
  }
  const gone = { freeze: refuse, isFrozen: refuse, thaw: () => {} }
  expect(await createProcessFreezer(() => 1, gone).pause()).toBe(false)
})
