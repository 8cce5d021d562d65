// The tool that runs commands: what it reports, and that no process outlives it.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Bench, openBench } from './fixture.ts'

let bench: Bench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.close())

describe('run', () => {
  test('returns the exit code and both streams', async () => {
    const good = await bench.call('run', { command: 'echo out; echo err >&2; pwd' })
    expect(good).toEqual({
      ok: true,
      output: `[exit code 0]\nout\n${bench.workspace}\n[stderr]\nerr`,
    })
    const bad = await bench.call('run', { command: 'exit 3' })
    expect(bad).toEqual({ ok: false, error: 'exit-code', output: '[exit code 3]' })
  })

  test('reports a command that crashes or cannot be found', async () => {
    const killed = await bench.call('run', { command: 'echo early; kill -9 $$' })
    expect(killed).toMatchObject({ ok: false, error: 'killed', output: '[killed]\nearly' })
    const unknown = await bench.call('run', { command: 'no-such-program' })
    expect(unknown).toMatchObject({ ok: false, error: 'exit-code' })
    expect(unknown.output).toMatch(/^\[exit code 127\]\n\[stderr\]\n.*not found/)
  })

  test('ends with the run', async () => {
    const abort = new AbortController()
    const command = 'echo $$ > pid; exec sleep 1000'
    const running = bench.call('run', { command }, { signal: abort.signal })
    while (!existsSync(join(bench.workspace, 'pid')) || bench.get('pid') === '') await sleep(5)
    abort.abort(new Error('cancelled'))
    await expect(running).rejects.toThrow('cancelled')
    expect(existsSync(`/proc/${bench.get('pid').trim()}`)).toBe(false)
  })

  test('stops at its limit, and shows the output so far', async () => {
    const result = await bench.call('run', { command: 'echo early; sleep 1000', timeoutMs: 300 })
    expect(result).toMatchObject({ ok: false, error: 'timeout' })
    expect(result.output).toMatch(/^\[stopped after 300 ms.*\]\nearly$/)
  })

  test('shows both ends of a flood of output, and stores all of it', {
    timeout: 120_000,
  }, async () => {
    const command = 'echo first; yes 0123456789 | head -c 50000000; echo; echo last; echo oops >&2'
    const { ok, output, spilled } = await bench.call('run', { command })
    expect(ok).toBe(true)
    expect(output.length).toBeLessThanOrEqual(30_000)
    expect(output).toMatch(/^\[exit code 0\]\nfirst\n0123456789\n/)
    expect(output).toMatch(/\nlast\n\n\[the end of stderr\]\noops\n$/)
    expect(output).toContain('[All 50000017 bytes are in @output/1.txt: read it')
    expect(spilled).toEqual({ file: '@output/1.txt', bytes: 50_000_017 })
    const part = await bench.call('read', { path: '@output/1.txt', limit: 1 })
    expect(part.output).toContain('1\tfirst')
    const found = await bench.call('grep', { path: '@output/1.txt', pattern: '^last$' })
    expect(found.output).toMatch(/^@output\/1\.txt:\d+: last$/)
  })

  test('shortens output of medium length by characters', async () => {
    const { output, spilled } = await bench.call('run', {
      command: 'yes out | head -c 25000; yes err | head -c 25000 >&2',
    })
    expect(output).toContain('The whole is in @output/')
    expect(output).toMatch(/^\[exit code 0\]\nout\n/)
    expect(output).toMatch(/err$/)
    expect(spilled?.bytes).toBeGreaterThan(49_000)
  })
})
