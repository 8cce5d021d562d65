import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { createMark, killAbandoned, markVariable } from './process-group.ts'

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

async function startSleeper(mark: string): Promise<ChildProcess> {
  const env = { PATH: process.env['PATH'], [markVariable]: mark }
  const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore', env })
  children.push(child)
  await once(child, 'spawn')
  return child
}

/** The mark of a process of this machine that has ended. */
async function endedOwner(): Promise<string> {
  const child = spawn('true', { stdio: 'ignore' })
  await once(child, 'exit')
  return `${readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')}.${child.pid}.12345.nonce`
}

test('kills commands whose owner has ended, and no others', async () => {
  const dead = await endedOwner()
  const living = createMark().own
  const elsewhere = dead.replace(/^\d+/, '1')
  const orphan = await startSleeper(dead)
  const orphanOfOrphan = await startSleeper(`${dead} ${living}`)
  const others = await Promise.all([living, elsewhere, 'nonsense', ''].map(startSleeper))
  const exits = [orphan, orphanOfOrphan].map((child) => once(child, 'exit'))
  expect(await killAbandoned()).toEqual([])
  expect((await Promise.all(exits)).map(([, signal]) => signal)).toEqual(['SIGKILL', 'SIGKILL'])
  expect(others.map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([
    null,
    null,
    null,
    null,
  ])
})

test('a mark identifies one command and includes the inherited marks', () => {
  const [first, second] = [createMark(), createMark()]
  expect(first.own).not.toBe(second.own)
  const before = process.env[markVariable]
  process.env[markVariable] = 'outer'
  const inner = createMark()
  if (before === undefined) delete process.env[markVariable]
  else process.env[markVariable] = before
  expect(inner.value).toBe(`outer ${inner.own}`)
})
