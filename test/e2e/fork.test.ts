/**
 * Runs that continue from another run's checkpoint with another model or prompt: earlier steps are
 * reused from the journal, and only later ones are requested and paid for.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ModelAnswer, type ModelServer, startModelServer } from '../../src/testing/index.ts'
import {
  ctl,
  ctlWith,
  type Ended,
  endOf,
  eventsOf,
  leftAt,
  type Place,
  place,
} from './loop-fixture.ts'

const key = { MODEL_KEY: 'sk-secret-0123456789abcdef' }

const counting = (number: number): ModelAnswer =>
  number % 2 === 1
    ? { calls: [{ name: 'run', args: { command: 'echo x >> log.txt' } }] }
    : { text: 'Done.' }

const story = (server: ModelServer): Place =>
  place(`
prompt: "Count. This is iteration {{ iteration }}."
checks: { three: 'test "$(wc -l < log.txt)" -ge 3' }
agent: { model: anthropic/claude-sonnet-4-5, baseUrl: '${server.url}', apiKeyEnv: MODEL_KEY, maxOutputTokens: 1000 }
`)

const run = (at: Place, ...args: string[]): Promise<Ended> =>
  ctlWith(at, key, '--json', 'run', at.file, '--trust', '--name', 'story', ...args)

const fork = (at: Place, ...args: string[]): Promise<Ended> =>
  ctlWith(at, key, '--json', 'fork', 'story', '--name', 'other', ...args)

interface State {
  readonly spent: { readonly tokens: number; readonly costMicros: number }
  readonly source: { readonly changes?: { readonly model?: string; readonly prompt?: string } }
}

async function stateOf(at: Place, name: string): Promise<State> {
  const { stdout } = await ctl(at, '--json', 'inspect', name)
  return (JSON.parse(stdout) as { state: State }).state
}

const billed = ({ bills }: ModelServer, from: number): number =>
  bills.slice(from).reduce((sum, { input, output }) => sum + input + output, 0)

describe('a fork', () => {
  test('pays only for what follows it, with another model, and is compared with the original', async () => {
    await using server = await startModelServer((_request, number) => counting(number))
    const at = story(server)
    expect(await run(at)).toMatchObject({ code: 0 })
    expect(server.requests).toHaveLength(6)
    const forked = await fork(at, '--at', '2', '--model', 'anthropic/claude-haiku-4-5')
    expect(forked.code).toBe(0)
    // One iteration remains after the second: two requests, to the other model.
    expect(server.requests).toHaveLength(8)
    expect(server.requests.slice(6).map(({ model }) => model)).toEqual([
      'claude-haiku-4-5',
      'claude-haiku-4-5',
    ])
    expect(JSON.stringify(server.requests[6]?.body)).toContain('This is iteration 3.')
    expect(readFileSync(join(`${at.work}-fork-2`, 'log.txt'), 'utf8')).toBe('x\nx\nx\n')
    const { spent, source } = await stateOf(at, 'other')
    expect(spent.tokens).toBe(billed(server, 6))
    expect(source.changes).toEqual({ model: 'anthropic/claude-haiku-4-5' })
    const { comparison } = endOf(forked) as {
      comparison?: { iteration: number; original: object; fork: object }
    }
    expect(comparison).toMatchObject({
      iteration: 2,
      original: { name: 'story', iterations: 1, spent: { tokens: billed(server, 6) } },
      fork: { name: 'other', iterations: 1, spent },
    })
  })

  test('shows both, from the point where they differ', async () => {
    await using server = await startModelServer((_request, number) => counting(number))
    const at = story(server)
    await run(at)
    const forked = await ctlWith(at, key, 'fork', 'story', '--at', '1', '--prompt', 'Append.')
    expect(forked.code).toBe(0)
    expect(forked.stdout).toMatch(/\(another prompt\) {2}forked from story after iteration 1/)
    expect(forked.stdout).toMatch(/Compared after iteration 1:\n\s+story\s+\w/)
    expect(forked.stdout).toMatch(/outcome +completed: checks-pass +completed: checks-pass/)
    expect(forked.stdout).toMatch(/iterations +2 +2\n/)
    expect(forked.stdout).toMatch(/cost +\$\d/)
  })

  test('at 0 repeats the whole run with another prompt, from a file, with its variables', async () => {
    await using server = await startModelServer((_request, number) => counting(number))
    const at = story(server)
    await run(at)
    const file = join(at.file, '../other.txt')
    writeFileSync(file, 'Append a line ({{ iteration }}).')
    const forked = await fork(at, '--at', '0', '--prompt', `@${file}`)
    expect(forked.code).toBe(0)
    expect(server.requests).toHaveLength(12)
    expect(JSON.stringify(server.requests[6]?.body)).toContain('Append a line (1).')
    // The content of the file at that time counts.
    expect((await stateOf(at, 'other')).source.changes).toEqual({
      prompt: 'Append a line ({{ iteration }}).',
    })
  })

  test('of a fork has the model and the prompt of that fork', async () => {
    await using server = await startModelServer((_request, number) => counting(number))
    const at = story(server)
    await run(at)
    const changes = ['--at', '1', '--model', 'anthropic/claude-haiku-4-5', '--prompt', 'Append.']
    await ctl(at, 'trust', at.file)
    expect((await fork(at, ...changes, '--iterations', '2')).code).toBe(3)
    const asked = server.requests.length
    const again = await ctlWith(at, key, '--json', 'fork', 'other', '--iterations', '9')
    expect(again.code).toBe(0)
    expect(server.requests[asked]).toMatchObject({ model: 'claude-haiku-4-5' })
    expect(JSON.stringify(server.requests[asked]?.body)).toContain('Append.')
  })

  test('can be replayed with its changes', async () => {
    await using server = await startModelServer((_request, number) => counting(number))
    const at = story(server)
    await run(at)
    await fork(at, '--at', '1', '--prompt', 'Append.')
    const asked = server.requests.length
    const replayed = await ctl(at, '--json', 'replay', 'other')
    expect(replayed.code).toBe(0)
    expect(JSON.parse(replayed.stdout)).toMatchObject({ same: true, exchanges: 4, iterations: 2 })
    expect(server.requests).toHaveLength(asked)
  })

  test('that was killed resumes with its changes', async () => {
    await using server = await startModelServer((_request, number) =>
      number === 9
        ? { calls: [{ name: 'run', args: { command: 'echo x >> log.txt; sleep 2' } }] }
        : counting(number),
    )
    const at = story(server)
    await run(at)
    const args = ['fork', 'story', '--at', '1', '--name', 'other', '--prompt', 'Append.']
    expect(await leftAt(at, key, args, 'sleep 2', 'SIGKILL')).toBe(null)
    const asked = server.requests.length
    expect((await ctlWith(at, key, '--json', 'resume', 'other')).code).toBe(0)
    const texts = server.requests.slice(asked).map(({ body }) => JSON.stringify(body))
    expect(texts.length).toBeGreaterThan(1)
    expect(texts.every((text) => text.includes('Append.'))).toBe(true)
  })
})

describe('overrides of the loop file', () => {
  test('work for a first run too, and are in its plan', async () => {
    await using server = await startModelServer((_request, number) => counting(number))
    const at = story(server)
    const planned = await ctl(at, 'run', at.file, '--dry-run', '--prompt', 'Append.')
    expect(planned.stdout).toContain('The first prompt:\nAppend.')
    const ended = await run(at, '--prompt', 'Append.', '--model', 'anthropic/claude-haiku-4-5')
    expect(ended.code).toBe(0)
    expect(server.requests[0]).toMatchObject({ model: 'claude-haiku-4-5' })
    const [created] = eventsOf(ended, 'run-created')
    expect(created).toMatchObject({ source: { changes: { prompt: 'Append.' } } })
  })

  test.each([
    ['a model for a command', ['--model', 'openai/gpt-5'], 64, 'which chooses its model itself'],
    ['a prompt that is empty', ['--prompt', ' '], 64, 'The prompt must not be empty'],
    ['a missing file', ['--prompt', '@/nonexistent/x'], 66, 'cannot read the file'],
    ['an unknown variable', ['--prompt', '{{ nothing }}'], 65, 'nothing'],
  ])('are refused: %s', async (_what, args, code, words) => {
    const at = place(`
prompt: Go.
checks: { a: 'true' }
agent: { command: ['true'] }
`)
    const refused = await ctl(at, 'run', at.file, '--trust', ...args)
    expect(refused.code).toBe(code)
    expect(refused.stderr).toContain(words)
  })
})
