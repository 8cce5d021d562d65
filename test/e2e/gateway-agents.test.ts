/**
 * Agent programs that reach their models through the gateway, from inside the sandbox. The provider
 * is scripted; everything else is real.
 */

import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startModelServer } from '../../src/testing/model-server.ts'
import { behind, billOf, notesOf, spentOf, withProgram } from './gateway-fixture.ts'
import { ctl, ctlWith, endOf, eventsOf, type Place } from './loop-fixture.ts'

const key = 'sk-real-0123456789abcdef'

const asking = `
writeFileSync('seen.json', JSON.stringify(process.env))
const first = await ask('What now?')
const second = await ask('And now?', { stream: true })
writeFileSync('done.txt', first.status + ' ' + second.status)
console.log(JSON.parse(first.text).content[0].text)
`

const run = (at: Place, env: NodeJS.ProcessEnv, ...more: string[]): ReturnType<typeof ctlWith> =>
  ctlWith(at, env, '--json', 'run', at.file, '--trust', '--name', 'story', ...more)

describe('a program that calls its provider', () => {
  test('never has the key, and its token usage is known exactly', async () => {
    await using server = await startModelServer([
      { text: 'Do this.', usage: { input: 700, output: 30 } },
      { text: 'Do that.', usage: { input: 900, output: 50, cacheRead: 300 } },
    ])
    const at = withProgram(asking, {
      agent: ', env: [ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, GOOGLE_API_KEY, MINE]',
    })
    const more = { ANTHROPIC_AUTH_TOKEN: key, GOOGLE_API_KEY: key, MINE: 'mine' }
    const ended = await run(at, { ...behind(server, key), ...more })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(at.work, 'done.txt'), 'utf8')).toBe('200 200')
    const seen = readFileSync(join(at.work, 'seen.json'), 'utf8')
    expect(seen).not.toContain(key)
    expect(JSON.parse(seen)).toMatchObject({
      MINE: 'mine',
      ANTHROPIC_API_KEY: expect.stringMatching(/^[\w-]{40,}$/),
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:4140',
    })
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual([key, key])
    expect((await spentOf(at, 'story')).tokens).toBe(billOf(server))
    expect(eventsOf(ended, 'budget-settled')).toHaveLength(2)
    const [report] = eventsOf(ended, 'step-finished').filter(({ step }) => step === 'agent:maker#1')
    expect(report).toMatchObject({
      result: { value: { status: 'done', text: 'Do this.', usage: { tokens: 1680 } } },
    })
  })

  test('has its exchanges stored and readable until the run is removed', async () => {
    await using server = await startModelServer([{ text: 'Do this.' }, { text: 'Do that.' }])
    const at = withProgram(asking)
    const ended = await run(at, behind(server, key))
    const exchanged = notesOf(ended, 'exchanged')
    expect(exchanged).toMatchObject([
      { ordinal: 1, provider: 'anthropic', model: 'claude-sonnet-4-5', ended: 'complete' },
      { ordinal: 2, provider: 'anthropic', spent: { tokens: 120 }, isEstimated: false },
    ])
    const shown = await ctl(at, '--json', 'show', 'story', '1', '--exchange', '2')
    expect(shown.code).toBe(0)
    expect(shown.stdout).toContain('And now?')
    expect(shown.stdout).toContain('Do that.')

    age(at)
    expect((await ctl(at, 'gc')).code).toBe(0)
    expect((await ctl(at, 'show', 'story', '1', '--exchange', '1')).code).toBe(0)
    expect((await ctl(at, 'rm', '--yes', 'story')).code).toBe(0)
    age(at)
    expect((await ctl(at, 'gc')).code).toBe(0)
    // The output of the check is gone, but the certificate still refers to it.
    const nothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
    expect(blobFiles(at).map((path) => path.replace('/', ''))).toEqual([nothing])
  })

  test('can be built on the official client, unmodified', async () => {
    await using server = await startModelServer([
      { calls: [{ name: 'write', args: { text: 'hello' } }], usage: { input: 400, output: 20 } },
      { text: 'Written.', pieces: 5, usage: { input: 500, output: 10 } },
    ])
    const at = withProgram(`
const client = await openClient()
const tools = [{ name: 'write', description: 'Writes.', input_schema: { type: 'object' } }]
const messages = [{ role: 'user', content: 'Go.' }]
const first = await client.messages.create({ ...request, tools, messages })
const use = first.content.find((block) => block.type === 'tool_use')
writeFileSync('done.txt', use.input.text)
messages.push({ role: 'assistant', content: first.content })
messages.push({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: use.id, content: 'ok' }],
})
const last = await client.messages.stream({ ...request, tools, messages }).finalText()
console.log(last)
`)
    const ended = await run(at, behind(server, key))
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(at.work, 'done.txt'), 'utf8')).toBe('hello')
    expect(ended.stdout).toContain('Written.')
    expect((await spentOf(at, 'story')).tokens).toBe(930)
  })
})

/** Content that is an hour old may be collected. */
function age({ state }: Place): void {
  const long = new Date(Date.now() - 7_200_000)
  for (const name of blobFiles({ state })) utimesSync(join(state, 'blobs', name), long, long)
}

const blobFiles = ({ state }: Pick<Place, 'state'>): readonly string[] =>
  readdirSync(join(state, 'blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(state, 'blobs').length + 1))

describe('when the budget is used up', () => {
  test('an agent that ignores its budget is ended, and the run is exhausted', async () => {
    await using server = await startModelServer([
      { text: 'More.', usage: { input: 100, output: 400 } },
    ])
    const at = withProgram(
      `
for (;;) {
  const { status } = await ask('More?')
  if (status !== 200) console.log('refused', status)
}
`,
      { more: "checks: { never: 'false' }\nlimits: { iterations: 5, tokens: 2500 }" },
    )
    const ended = await run(at, behind(server, key))
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'exhausted' } })
    expect(ended.code).toBe(3)
    expect(ended.stdout).toContain('refused 402')
    const { tokens } = await spentOf(at, 'story')
    expect(tokens).toBe(billOf(server))
    expect(tokens).toBeLessThanOrEqual(2500)

    // It ends the same way again, without a request.
    const before = server.requests.length
    const replayed = await ctlWith(at, behind(server, key), '--json', 'replay', 'story')
    expect(endOf(replayed)).toMatchObject({ same: true, outcome: { type: 'exhausted' } })
    expect(server.requests).toHaveLength(before)
  })

  test('a rejected key ends the run, and the message names the variable to set', async () => {
    await using server = await startModelServer([{ status: 401, message: 'invalid x-api-key' }])
    const at = withProgram(`
const { status } = await ask('Hello?')
process.exit(status === 200 ? 0 : 1)
`)
    const ended = await run(at, behind(server, key))
    expect(ended.code).toBe(1)
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'failed' } })
    expect(JSON.stringify(endOf(ended))).toContain('ANTHROPIC_API_KEY')
    expect(server.requests).toHaveLength(1)
    expect(eventsOf(ended, 'step-failed')).toHaveLength(1)
  })
})

describe('a provider with problems', () => {
  test('that closed its window is waited for, and nothing has failed', async () => {
    await using server = await startModelServer([
      { status: 429, headers: { 'retry-after': '1' }, code: 'rate_limit_error' },
      { text: 'Now.' },
    ])
    const at = withProgram(`
const { status } = await ask('Hello?')
writeFileSync('done.txt', String(status))
`)
    const ended = await run(at, behind(server, key))
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(at.work, 'done.txt'), 'utf8')).toBe('200')
    expect(notesOf(ended, 'waiting')).toMatchObject([
      { untilMs: expect.any(Number), message: expect.stringContaining('anthropic') },
    ])
    expect(eventsOf(ended, 'step-failed')).toEqual([])
    expect((await spentOf(at, 'story')).tokens).toBe(billOf(server))
  })

  test('that is unreachable is a fault that names its address', async () => {
    const at = withProgram(
      `
const { status, text } = await ask('Hello?')
console.log(status, text)
process.exit(1)
`,
      { more: "checks: { never: 'false' }\nlimits: { iterations: 1 }" },
    )
    const ended = await run(at, behind({ url: 'http://127.0.0.1:9/v1' }, key))
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'exhausted' } })
    expect(eventsOf(ended, 'step-failed').at(-1)).toMatchObject({
      fault: { code: 'provider-failed', message: expect.stringContaining('127.0.0.1:9') },
    })
    expect(ended.stdout).toContain('502')
    expect((await spentOf(at, 'story')).tokens).toBe(0)
  })
})
