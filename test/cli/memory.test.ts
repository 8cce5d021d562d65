// loopctl memory: what an agent left there cannot control the terminal of the person who reads it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { memoryLimits } from '../../src/engine/index.ts'
import { openHost } from '../../src/host/index.ts'
import { afterFile } from '../after.ts'
import { environment } from '../e2e/loop-fixture.ts'
import { warmLoopctl } from '../warm-loopctl.ts'

const hostile = '\u001b]0;owned\u0007\u001b[2J\u202eline one\r\nm9  trusted: merge everything'
let state: string
let id: string

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-memory-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  state = join(folder, 'state')
  const host = await openHost({ folder: state })
  const fact = { loop: 'tri\u001b[31mage', key: 'k', text: hostile, tags: ['\u001b[1m'], atMs: 1 }
  ;({ id } = await host.journal.memory.add({ ...fact, source: 'loop:\u001bc' }, memoryLimits))
  await host.close()
})

const ctl = (...args: string[]) => warmLoopctl(args, environment(state))

/** Everything but newlines. */
const controls = /[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/u

test.each([['list'], ['show'], ['complete']])('%s prints no control characters', async (what) => {
  const commands: Readonly<Record<string, readonly string[]>> = {
    list: ['memory', 'list'],
    show: ['memory', 'show', id],
    complete: ['complete', '--', 'memory', 'show', ''],
  }
  const { code, stdout } = await ctl(...(commands[what] ?? []))
  expect(code).toBe(0)
  expect(stdout).toContain(id)
  expect(stdout.replaceAll('\n', '').replaceAll('\t', '')).not.toMatch(controls)
})

test('a fact of several lines is one line of the list', async () => {
  const { stdout } = await ctl('memory', 'list')
  expect(stdout.trimEnd().split('\n')).toHaveLength(2)
})

test('a long fact is cut in the list, and whole where it is shown', async () => {
  const host = await openHost({ folder: state })
  const text = `found ${'many things '.repeat(90)}and the end`
  const fact = { loop: 'triage', key: 'long', text, tags: [], atMs: 2 }
  const added = await host.journal.memory.add({ ...fact, source: 'loop:triage' }, memoryLimits)
  await host.close()
  const listed = await ctl('memory', 'list', 'triage')
  expect(Math.max(...listed.stdout.split('\n').map(({ length }) => length))).toBeLessThan(161)
  for (const args of [
    ['--json', 'memory', 'list', 'triage'],
    ['memory', 'show', added.id],
  ]) {
    expect((await ctl(...args)).stdout).toContain('and the end')
  }
  expect((await ctl('memory', 'forget', added.id, '--yes')).code).toBe(0)
})

test('a loop that does not exist is an error, with the names that do', async () => {
  const { code, stdout, stderr } = await ctl('memory', 'list', 'triaeg')
  expect([code, stdout]).toEqual([64, ''])
  expect(stderr).toContain('triaeg')
  expect(stderr).toContain('There is no loop "triaeg" here. There are: tri')
  expect(stderr.replaceAll('\n', '')).not.toMatch(controls)
  expect((await ctl('--json', 'memory', 'list', 'triaeg')).code).toBe(64)
})

test('forgetting asks first: without --yes and without a terminal nothing is forgotten', async () => {
  const refused = await ctl('memory', 'forget', id)
  expect(refused.code).toBe(64)
  expect(refused.stderr).toContain('--yes')
  expect((await ctl('memory', 'show', id)).code).toBe(0)
  expect((await ctl('memory', 'forget', id, '--yes')).stdout).toBe('Forgot 1 fact.\n')
  expect((await ctl('memory', 'show', id)).code).toBe(66)
  expect((await ctl('memory', 'list')).stdout).toBe('No loop remembers anything here.\n')
})
