import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterStory } from '../../test/after.ts'
import { holderOf, lockFile } from './hold-file.ts'

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-hold-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'lock.db')
}

test('is held by one holder, and by the next after its release', () => {
  const path = newPath()
  const held = lockFile(path)
  expect(held).toBeDefined()
  expect(lockFile(path)).toBeUndefined()
  expect(holderOf(path)).toBe(process.pid)
  held?.release()
  expect(holderOf(path)).toBeUndefined()
  const next = lockFile(path)
  expect(next).toBeDefined()
  next?.release()
})

test('is private to its owner, and nothing is written to it', () => {
  const path = newPath()
  const held = lockFile(path)
  const { size, mode } = statSync(path)
  expect([size, mode & 0o777]).toEqual([0, 0o600])
  expect(readdirSync(join(path, '..'))).toEqual(['lock.db'])
  held?.release()
})

test('is held by a stopped process, and free once that was killed', async () => {
  const path = newPath()
  const program = `
    import { lockFile } from ${JSON.stringify(new URL('../../dist/journal/hold-file.js', import.meta.url).href)}
    globalThis.held = lockFile(${JSON.stringify(path)})
    console.log('held')
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  afterStory(() => child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  child.kill('SIGSTOP')
  expect(lockFile(path)).toBeUndefined()
  expect(holderOf(path)).toBe(child.pid)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
  const next = lockFile(path)
  expect(next).toBeDefined()
  next?.release()
})

test('a file that is not a lock is not changed, and is reported', () => {
  const path = newPath()
  writeFileSync(
    path,
    'something else that somebody wrote here, longer than a header is, '.repeat(4),
  )
  expect(() => lockFile(path)).toThrow(/not a database/)
})
