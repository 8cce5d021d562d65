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

/** Reads the pids that processes wrote to a file, one per line. */
async function readPids(file: string, count: number): Promise<number[]> {
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
  test('returns its exit code and both streams', async () => {
    const result = await commands.run(shell('echo out; echo err >&2; exit 3'), never)
    expect(result).toMatchObject({ ended: 'exited', exitCode: 3, stdout: 'out\n', stderr: 'err\n' })
    expect(result.durationMs).toBeGreaterThanOrEqual(0)
  })

  test('gets its arguments unchanged, without a shell', async () => {
    const args = ['%s\n', '$HOME; echo no', '*', '']
    const { stdout } = await commands.run({ program: 'printf', args }, never)
    expect(stdout).toBe('$HOME; echo no\n*\n\n')
  })

  test('reads its input, which is empty by default', async () => {
    const input = 'line\n'.repeat(100_000)
    const { stdout } = await commands.run({ program: 'wc', args: ['-l'], input }, never)
    expect(stdout.trim()).toBe('100000')
    expect(await commands.run({ program: 'cat', args: [] }, never)).toMatchObject({ stdout: '' })
  })

  test('may ignore its input', async () => {
    const input = 'x'.repeat(1_000_000)
    expect(await commands.run({ program: 'true', args: [], input }, never)).toMatchObject({
      exitCode: 0,
    })
  })

  test('sees only the environment passed to it and the base variables', async () => {
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

  test('that prints too much keeps the end, in whole characters', async () => {
    const script = "yes é | head -c 30000000; printf 'last é'; yes e | head -c 30000000 >&2"
    const result = await commands.run(shell(script, { outputBytesMax: 1001 }), never)
    expect(result.stdout).toMatch(/^\n?(é\n)+last é$/)
    expect(Buffer.byteLength(result.stdout)).toBeGreaterThan(990)
    expect(result.stderr).toHaveLength(1001)
    const usual = await commands.run(shell('yes e | head -c 1000000'), never)
    expect(usual.stdout).toHaveLength(64 * 1024)
  })

  test('that is killed from outside ended by a signal', async () => {
    const result = await commands.run(shell('kill -9 $$'), never)
    expect(result.ended).toBe('signal')
    expect(result).not.toHaveProperty('exitCode')
  })
})

describe('output over the limit', () => {
  const spillTo = (bytesMax = 1_000_000_000): Partial<Command> => ({
    outputBytesMax: 1000,
    spill: { file: join(folder, 'all.txt'), bytesMax },
  })

  test('is completely in the file', async () => {
    const script = 'echo first; i=0; while [ $i -lt 2000 ]; do echo $i; i=$((i+1)); done; echo last'
    const result = await commands.run(shell(script, spillTo()), never)
    const lines = ['first', ...Array.from({ length: 2000 }, (_, index) => `${index}`), 'last', '']
    const whole = lines.join('\n')
    expect(await readFile(join(folder, 'all.txt'), 'utf8')).toBe(whole)
    expect(result.spilled).toEqual({ file: join(folder, 'all.txt'), bytes: whole.length })
    expect(result.outputBytes).toBe(whole.length)
    expect(result.stdout).toBe(whole.slice(-1000))
  })

  test('contains both streams, in the order in which they arrived', async () => {
    const script = 'printf a; sleep 0.1; printf b >&2; sleep 0.1; yes c | head -c 2000'
    await commands.run(shell(script, spillTo()), never)
    expect(await readFile(join(folder, 'all.txt'), 'utf8')).toBe(`ab${'c\n'.repeat(1000)}`)
  })

  test('is the only reason to create a file', async () => {
    const script = 'yes e | head -c 1000; yes f | head -c 1000 >&2'
    const result = await commands.run(shell(script, spillTo()), never)
    expect(result).not.toHaveProperty('spilled')
    expect(result.outputBytes).toBe(2000)
    await expect(readFile(join(folder, 'all.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('is dropped beyond the limit of the file, but the end is still returned', async () => {
    const script = 'yes e | head -c 100000; printf end'
    const result = await commands.run(shell(script, spillTo(5001)), never)
    expect(result.spilled).toEqual({ file: join(folder, 'all.txt'), bytes: 5001 })
    expect((await readFile(join(folder, 'all.txt'))).length).toBe(5001)
    expect(result.outputBytes).toBe(100_003)
    expect(result.stdout).toMatch(/end$/)
  })

  test('never replaces an existing file', async () => {
    await writeFile(join(folder, 'all.txt'), 'mine')
    const result = await commands.run(shell('yes e | head -c 5000000', spillTo()), never)
    expect(result).toMatchObject({ exitCode: 0, outputBytes: 5_000_000 })
    expect(result).not.toHaveProperty('spilled')
    expect(await readFile(join(folder, 'all.txt'), 'utf8')).toBe('mine')
  })

  test('is still returned if the folder of the file is missing', async () => {
    const spill = { file: '/nonexistent/all.txt', bytesMax: 1_000_000_000 }
    const result = await commands.run(
      shell('yes e | head -c 20000000; printf end', { outputBytesMax: 1000, spill }),
      never,
    )
    expect(result).toMatchObject({ exitCode: 0, outputBytes: 20_000_003 })
    expect(result.stdout).toMatch(/end$/)
    expect(result).not.toHaveProperty('spilled')
  })

  test('pauses the command instead of filling memory', { timeout: 120_000 }, async () => {
    const before = process.memoryUsage().rss
    let max = 0
    const watch = setInterval(() => {
      max = Math.max(max, process.memoryUsage().rss)
    }, 5)
    const script = 'head -c 200000000 /dev/zero; printf end'
    const result = await commands.run(shell(script, spillTo(150_000_000)), never)
    clearInterval(watch)
    expect(result.outputBytes).toBe(200_000_003)
    expect(result.spilled?.bytes).toBe(150_000_000)
    expect(result.stdout).toMatch(/end$/)
    expect(max - before).toBeLessThan(120_000_000)
  })

  test('is in the file even if the command was killed', async () => {
    const script = 'yes e | head -c 100000; sleep 1000'
    const result = await commands.run(shell(script, { ...spillTo(), timeoutMs: 500 }), never)
    expect(result).toMatchObject({ ended: 'timeout', spilled: { bytes: 100_000 } })
  })
})

describe('an output listener', () => {
  test('gets all output as it arrives', async () => {
    const chunks: string[] = []
    let onFirst = () => {}
    const first = new Promise<void>((resolve) => {
      onFirst = resolve
    })
    const abort = new AbortController()
    const onOutput = (chunk: Uint8Array): void => {
      chunks.push(Buffer.from(chunk).toString())
      onFirst()
    }
    const running = commands.run(shell('echo out; sleep 1000', { onOutput }), abort.signal)
    await first
    expect(chunks.join('')).toBe('out\n')
    abort.abort()
    await running
  })

  test('that throws does not affect the command', async () => {
    let calls = 0
    const onOutput = (): void => {
      calls++
      throw new Error('no')
    }
    const script = 'echo a; sleep 0.1; echo b'
    const result = await commands.run(shell(script, { onOutput }), never)
    expect(result).toMatchObject({ exitCode: 0, stdout: 'a\nb\n' })
    expect(calls).toBe(1)
  })
})

describe('the end of a command', () => {
  test('at its time limit includes all processes it started', async () => {
    const script = 'echo $$ >> pids; (sh -c "echo \\$\\$ >> pids; sleep 1000") & sleep 1000'
    const result = await commands.run(shell(script, { timeoutMs: 1000 }), never)
    expect(result.ended).toBe('timeout')
    expect(result).not.toHaveProperty('exitCode')
    expect((await readPids('pids', 1)).filter(isAlive)).toEqual([])
  })

  test('starts with SIGTERM, so that it can clean up', async () => {
    const abort = new AbortController()
    const script = 'trap "echo cleaned; exit 0" TERM; echo $$ > pids; while :; do sleep 0.01; done'
    const running = commands.run(shell(script), abort.signal)
    await readPids('pids', 1)
    abort.abort()
    const result = await running
    expect(result).toMatchObject({ ended: 'aborted', stdout: 'cleaned\n' })
    expect(result).not.toHaveProperty('exitCode')
  })

  test('is forced with SIGKILL for processes that ignore SIGTERM', async () => {
    const abort = new AbortController()
    const ignoring = 'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done'
    await writeFile(join(folder, 'ignoring.sh'), ignoring)
    const running = commands.run(shell(`sh ignoring.sh & ${ignoring}`), abort.signal)
    const pids = await readPids('pids', 2)
    abort.abort()
    expect((await running).ended).toBe('aborted')
    expect(pids.filter(isAlive)).toEqual([])
  })

  test('kills its background processes', async () => {
    const script = '(echo early; sleep 1000) & echo $! > pids; echo done'
    const result = await commands.run(shell(script), never)
    expect(result).toMatchObject({ ended: 'exited', exitCode: 0 })
    expect(result.stdout).toContain('done')
    expect((await readPids('pids', 1)).filter(isAlive)).toEqual([])
  })

  test('kills processes that left its process group and session', async () => {
    const escaped = 'setsid sh -c "echo \\$\\$ >> pids; sleep 1000"'
    const script = `${escaped} & (${escaped} &) ; while [ "$(wc -l < pids)" != 2 ]; do sleep 0.01; done`
    await writeFile(join(folder, 'pids'), '')
    const result = await commands.run(shell(script), never)
    expect(result.ended).toBe('exited')
    expect((await readPids('pids', 2)).filter(isAlive)).toEqual([])
  })

  test('does not wait for an escaped process that holds a pipe open', async () => {
    const script =
      'env -i setsid sh -c "echo \\$\\$ > pids; exec sleep 1000" & until [ -s pids ]; do sleep 0.01; done'
    const { stdout } = await commands.run(shell(`echo here; ${script}`), never)
    expect(stdout).toBe('here\n')
    for (const pid of await readPids('pids', 1)) process.kill(pid, 'SIGKILL')
  })

  test('is immediate if the signal was aborted before the start', async () => {
    const result = await commands.run(shell('echo x > started'), AbortSignal.abort())
    const noOutput = { stdout: '', stderr: '', outputBytes: 0, durationMs: 0 }
    expect(result).toEqual({ ...noOutput, ended: 'aborted' })
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

  test('because its directory is missing says so', async () => {
    const cwd = join(folder, 'missing')
    await expect(commands.run({ program: 'true', args: [], cwd }, never)).rejects.toMatchObject({
      fault: { code: 'ENOENT', message: `Cannot start true: the directory ${cwd} does not exist.` },
    })
  })

  test('because processes or descriptors ran out may be retried', async () => {
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
