import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Command } from '../engine/index.ts'
import { createPlainCommands } from './plain-commands.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-commands-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const never = new AbortController().signal
const commands = createPlainCommands()
const shell = (script: string, more: Partial<Command> = {}): Command => ({
  program: 'sh',
  args: ['-c', script],
  cwd: folder,
  ...more,
})

function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}

/** The processes that wrote their numbers here, each a line. */
async function pidsIn(file: string, count: number): Promise<number[]> {
  for (;;) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => '')
    const pids = text
      .split('\n')
      .filter((line) => line !== '')
      .map(Number)
    if (pids.length >= count) return pids
    await sleep(5)
  }
}

describe('a command', () => {
  test('gives its exit code and both streams', async () => {
    const result = await commands.run(shell('echo out; echo err >&2; exit 3'), never)
    expect(result).toMatchObject({ ended: 'exited', exitCode: 3, stdout: 'out\n', stderr: 'err\n' })
    expect(result.durationMs).toBeGreaterThanOrEqual(0)
  })

  test('gets its arguments as they are, and no shell sees them', async () => {
    const args = ['%s\n', '$HOME; echo no', '*', '']
    const { stdout } = await commands.run({ program: 'printf', args }, never)
    expect(stdout).toBe('$HOME; echo no\n*\n\n')
  })

  test('reads its input, or an empty one', async () => {
    const input = 'line\n'.repeat(100_000)
    const { stdout } = await commands.run({ program: 'wc', args: ['-l'], input }, never)
    expect(stdout.trim()).toBe('100000')
    expect(await commands.run({ program: 'cat', args: [] }, never)).toMatchObject({ stdout: '' })
  })

  test('that does not read its input is no fault', async () => {
    const input = 'x'.repeat(1_000_000)
    expect(await commands.run({ program: 'true', args: [], input }, never)).toMatchObject({
      exitCode: 0,
    })
  })

  test('sees only the environment that it was given, and where things are', async () => {
    process.env['LOOPWRIGHT_TEST_SECRET'] = 'key'
    const env = { GIVEN: 'yes', LANG: 'C' }
    const { stdout } = await commands.run({ program: 'env', args: [], env }, never)
    delete process.env['LOOPWRIGHT_TEST_SECRET']
    const names = stdout.split('\n').map((line) => line.split('=')[0])
    const allowed = ['GIVEN', 'HOME', 'LANG', 'LOOPWRIGHT_COMMAND', 'PATH', 'TMPDIR', '']
    expect(allowed).toEqual(expect.arrayContaining(names))
    expect(stdout).toContain('GIVEN=yes')
    expect(stdout).toContain('LANG=C')
    expect(stdout).toContain(`PATH=${process.env['PATH']}`)
  })

  test('that floods keeps the end, in whole characters', async () => {
    const script = "yes é | head -c 30000000; printf 'last é'; yes e | head -c 30000000 >&2"
    const result = await commands.run(shell(script, { outputBytesMax: 1001 }), never)
    expect(result.stdout).toMatch(/^\n?(é\n)+last é$/)
    expect(Buffer.byteLength(result.stdout)).toBeGreaterThan(990)
    expect(result.stderr).toHaveLength(1001)
    const usual = await commands.run(shell('yes e | head -c 1000000'), never)
    expect(usual.stdout).toHaveLength(64 * 1024)
  })

  test('that is killed by somebody else ended by a signal', async () => {
    const result = await commands.run(shell('kill -9 $$'), never)
    expect(result.ended).toBe('signal')
    expect(result).not.toHaveProperty('exitCode')
  })
})

describe('the end of a command', () => {
  test('at its time limit comes to all that it started', async () => {
    const script = 'echo $$ >> pids; (sh -c "echo \\$\\$ >> pids; sleep 1000") & sleep 1000'
    const result = await commands.run(shell(script, { timeoutMs: 1000 }), never)
    expect(result.ended).toBe('timeout')
    expect(result).not.toHaveProperty('exitCode')
    expect((await pidsIn('pids', 1)).filter(isAlive)).toEqual([])
  })

  test('comes by SIGTERM first, so that it can clean up', async () => {
    const abort = new AbortController()
    const script = 'trap "echo cleaned; exit 0" TERM; echo $$ > pids; while :; do sleep 0.01; done'
    const running = commands.run(shell(script), abort.signal)
    await pidsIn('pids', 1)
    abort.abort()
    const result = await running
    expect(result).toMatchObject({ ended: 'aborted', stdout: 'cleaned\n' })
    expect(result).not.toHaveProperty('exitCode')
  })

  test('comes by SIGKILL to those that do not listen', async () => {
    const abort = new AbortController()
    const deaf = 'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done'
    await writeFile(join(folder, 'deaf.sh'), deaf)
    const running = commands.run(shell(`sh deaf.sh & ${deaf}`), abort.signal)
    const pids = await pidsIn('pids', 2)
    abort.abort()
    expect((await running).ended).toBe('aborted')
    expect(pids.filter(isAlive)).toEqual([])
  })

  test('is the end of what it left in the background', async () => {
    const script = '(echo early; sleep 1000) & echo $! > pids; echo done'
    const result = await commands.run(shell(script), never)
    expect(result).toMatchObject({ ended: 'exited', exitCode: 0 })
    expect(result.stdout).toContain('done')
    expect((await pidsIn('pids', 1)).filter(isAlive)).toEqual([])
  })

  test('reaches what left the group, sessions and parents behind', async () => {
    const escaped = 'setsid sh -c "echo \\$\\$ >> pids; sleep 1000"'
    const script = `${escaped} & (${escaped} &) ; while [ "$(wc -l < pids)" != 2 ]; do sleep 0.01; done`
    await writeFile(join(folder, 'pids'), '')
    const result = await commands.run(shell(script), never)
    expect(result.ended).toBe('exited')
    expect((await pidsIn('pids', 2)).filter(isAlive)).toEqual([])
  })

  test('does not wait for one that got away with a pipe', async () => {
    const script =
      'env -i setsid sh -c "echo \\$\\$ > pids; exec sleep 1000" & until [ -s pids ]; do sleep 0.01; done'
    const { stdout } = await commands.run(shell(`echo here; ${script}`), never)
    expect(stdout).toBe('here\n')
    for (const pid of await pidsIn('pids', 1)) process.kill(pid, 'SIGKILL')
  })

  test('is at once when nobody wants it from the start', async () => {
    const result = await commands.run(shell('echo x > started'), AbortSignal.abort())
    expect(result).toEqual({ stdout: '', stderr: '', ended: 'aborted', durationMs: 0 })
    await expect(readFile(join(folder, 'started'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('leaves no listener on the signal', async () => {
    const listeners = new Set<unknown>()
    const signal = {
      aborted: false,
      reason: undefined,
      throwIfAborted: () => {},
      addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
      removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
    }
    await commands.run(shell('true'), signal)
    expect(listeners.size).toBe(0)
  })
})

describe('a program that cannot be started', () => {
  test('is a fault that names it', async () => {
    await expect(
      commands.run({ program: 'no-such-program', args: [] }, never),
    ).rejects.toMatchObject({
      fault: {
        code: 'ENOENT',
        retryable: false,
        message: expect.stringContaining('no-such-program'),
      },
    })
    await writeFile(join(folder, 'plain.txt'), '')
    await expect(
      commands.run({ program: join(folder, 'plain.txt'), args: [] }, never),
    ).rejects.toMatchObject({ fault: { code: 'EACCES' } })
  })

  test('for want of a directory says so', async () => {
    const cwd = join(folder, 'missing')
    await expect(commands.run({ program: 'true', args: [], cwd }, never)).rejects.toMatchObject({
      fault: { code: 'ENOENT', message: `Cannot start true: there is no directory ${cwd}.` },
    })
  })

  test('for want of processes or files may be tried again', async () => {
    for (const code of ['EMFILE', 'EAGAIN']) {
      const spawn = () => {
        throw Object.assign(new Error(`spawn ${code}`), { code })
      }
      const failing = createPlainCommands({ spawn })
      await expect(failing.run(shell('true'), never)).rejects.toMatchObject({
        fault: { code, retryable: true },
      })
    }
  })
})
