import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterStory } from '../../../test/after.ts'
import { answerOfHolder, endHolder, holderOf } from './silent-daemon.ts'

function newState(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-silent-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'daemon'))
  return folder
}

/** A process that locks the state folder like a daemon and never answers. */
async function silentDaemon(folder: string, onTerm = ''): Promise<number> {
  const module = new URL('../../../dist/journal/hold-file.js', import.meta.url).href
  const program = `
    import { lockFile } from ${JSON.stringify(module)}
    globalThis.held = lockFile(${JSON.stringify(join(folder, 'daemon', 'lock.db'))})
    ${onTerm}
    console.log('held')
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  afterStory(() => child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child.pid ?? 0
}

function ctl(folder: string, ...args: string[]): Promise<{ code: unknown; stderr: string }> {
  const program = new URL('../../../dist/cli/loopctl.js', import.meta.url).pathname
  const env = { PATH: process.env['PATH'], HOME: folder, LOOPWRIGHT_STATE: folder }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env, cwd: folder }, (error, _, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stderr }),
    )
  })
}

test('without a daemon there is nothing to wait for', async () => {
  expect(await answerOfHolder({ folder: newState() })).toBeUndefined()
})

test('a daemon that does not answer is named with what to do, and readers get a warning', async () => {
  const folder = newState()
  const pid = await silentDaemon(folder)
  process.kill(pid, 'SIGSTOP')
  expect(await holderOf(folder)).toBe(pid)
  await expect(answerOfHolder({ folder, windowMs: 1 })).rejects.toThrow(
    new RegExp(`The daemon \\(process ${pid}\\) does not answer.*kill -CONT.*stop --force`),
  )
  const [status, queue] = await Promise.all([ctl(folder, 'daemon', 'status'), ctl(folder, 'queue')])
  expect(status).toMatchObject({
    code: 69,
    stderr: expect.stringContaining(`The daemon (process ${pid}) does`),
  })
  expect(queue.stderr).toContain(`The daemon (process ${pid}) does not answer, so this was read`)
})

test('a suspended daemon is continued, so that it can stop', async () => {
  const folder = newState()
  const pid = await silentDaemon(folder)
  process.kill(pid, 'SIGSTOP')
  await endHolder(pid, { folder, force: false, windowMs: 30_000 })
  expect(await holderOf(folder)).toBeUndefined()
})

test('a daemon that ignores the signal is stopped by force', async () => {
  const folder = newState()
  const pid = await silentDaemon(folder, 'process.on("SIGTERM", () => undefined)')
  const stopped = endHolder(pid, { folder, force: false, windowMs: 100 })
  await expect(stopped).rejects.toThrow(/has not stopped.*loopctl daemon stop --force/)
  expect((await ctl(folder, 'daemon', 'stop', '--force')).code).toBe(0)
  expect(await holderOf(folder)).toBeUndefined()
})

test('a process that does not hold the lock gets no signal', async () => {
  const [mine, another] = [newState(), newState()]
  const pid = await silentDaemon(another)
  await endHolder(pid, { folder: mine, force: true, windowMs: 100 })
  expect(await holderOf(another)).toBe(pid)
})
