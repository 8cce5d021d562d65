import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { killAbandoned, markVariable, newMark } from './process-group.ts'

const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

async function sleeper(mark: string): Promise<ChildProcess> {
  const env = { PATH: process.env['PATH'], [markVariable]: mark }
  const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore', env })
  started.push(child)
  await once(child, 'spawn')
  return child
}

/** Of a process that was, and of this machine. */
async function deadOwner(): Promise<string> {
  const child = spawn('true', { stdio: 'ignore' })
  await once(child, 'exit')
  return `${readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')}.${child.pid}.12345.nonce`
}

test('commands whose owner was killed are killed, and no others', async () => {
  const dead = await deadOwner()
  const living = newMark().own
  const elsewhere = dead.replace(/^\d+/, '1')
  const orphan = await sleeper(dead)
  const orphanOfOrphan = await sleeper(`${dead} ${living}`)
  const others = await Promise.all([living, elsewhere, 'nonsense', ''].map(sleeper))
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

test('a mark is of one command alone, and carries the marks above it', () => {
  const [first, second] = [newMark(), newMark()]
  expect(first.own).not.toBe(second.own)
  const before = process.env[markVariable]
  process.env[markVariable] = 'outer'
  const inner = newMark()
  if (before === undefined) delete process.env[markVariable]
  else process.env[markVariable] = before
  expect(inner.value).toBe(`outer ${inner.own}`)
})
