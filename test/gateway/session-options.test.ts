// What is specific to a session: providers, keys, and what can be observed of its agent.

import { expect, test } from 'vitest'
import { openGateway } from '../../src/gateway/index.ts'
import { type ModelAnswer, startModelServer } from '../../src/testing/index.ts'
import {
  ask,
  createLedger,
  formats,
  keys,
  openSetting,
  type QuestionName,
} from './gateway-fixture.ts'

test('a session may have separate providers and keys, and other sessions do not see them', async () => {
  await using own = await startModelServer([{ text: 'from my own' }])
  const key = 'sk-of-this-session-271828'
  await using setting = await openSetting([{ text: 'from all' }], {
    session: {
      providers: { anthropic: { baseUrl: own.url } },
      keys: (name) => (name === 'anthropic' ? key : undefined),
    },
  })
  expect(await (await ask(setting, 'anthropic', false)).text()).toContain('from my own')
  expect(own.requests[0]?.headers['x-api-key']).toBe(key)
  expect(await (await ask(setting, 'chat', false)).text()).toContain('from all')
  expect(setting.server.requests[0]?.headers['authorization']).toBe(`Bearer ${keys['openai']}`)
  const other = await setting.gateway.session({
    step: 'another',
    reserve: setting.ledger.reserve,
    signal: new AbortController().signal,
  })
  const headers = { 'x-api-key': other.token, 'content-type': 'application/json' }
  const body = '{"model":"claude-sonnet-5","max_tokens":10,"messages":[]}'
  const answer = await fetch(`${other.url}/v1/messages`, { method: 'POST', headers, body })
  expect(await answer.text()).toContain('from all')
})

test('the key of a session is masked like any other', async () => {
  const key = 'sk-of-this-session-271828'
  await using setting = await openSetting([{ status: 401, message: `bad key ${key}` }], {
    session: { keys: () => key },
  })
  const text = await (await ask(setting, 'gemini', false)).text()
  const totals = await setting.session.close()
  expect(`${text}${JSON.stringify([setting.exchanges, totals])}`).not.toContain('271828')
})

test.each([
  ['anthropic', 'https://example.invalid/v1', undefined],
  ['anthropic', 'https://api.anthropic.com.example.invalid/v1', undefined],
  ['anthropic', 'http://api.anthropic.com/v1', undefined],
  ['github', 'https://example.invalid/v1', undefined],
  ['anthropic', 'https://api.anthropic.com/v1/', 'sent'],
  ['anthropic', 'http://127.0.0.1:1/v1', 'sent'],
])("the gateway's key for %s at %s: %s", async (name, baseUrl, sent) => {
  const asked: string[] = []
  const gateway = await openGateway({
    keys(provider) {
      asked.push(provider)
      return `sk-${provider}-0123456789`
    },
  })
  const session = await gateway.session({
    step: 's',
    reserve: createLedger().reserve,
    signal: new AbortController().signal,
    providers: { [name]: { baseUrl } },
  })
  // A key that is looked up for a provider would be sent there.
  expect(asked.includes(name)).toBe(sent === 'sent')
  await session.close()
  await gateway.close()
})

test('an address without a key is explained when the provider refuses it', async () => {
  await using setting = await openSetting([{ status: 401 }], { session: { keys: () => undefined } })
  await (
    await setting.post('/v1/chat/completions', { model: 'm', messages: [], max_tokens: 5 })
  ).text()
  expect((await setting.session.close()).trouble?.message).not.toContain('No key was sent')
  await using own = await openSetting([{ status: 401 }], { session: { routes: { chat: 'local' } } })
  await (await own.post('/v1/chat/completions', { model: 'm', messages: [] })).text()
  expect((await own.session.close()).trouble?.message).toContain('No key was sent')
})

test('an invalid provider address is refused when the session is opened', async () => {
  await using setting = await openSetting([{ text: 'ok' }])
  const opened = setting.gateway.session({
    step: 's',
    reserve: setting.ledger.reserve,
    signal: new AbortController().signal,
    providers: { anthropic: { baseUrl: 'ftp://example.com' } },
  })
  await expect(opened).rejects.toMatchObject({ code: 'not-configured' })
})

test('rate limits of another account do not apply', async () => {
  const refusal = { status: 429, headers: { 'retry-after': '3600' } }
  await using setting = await openSetting(({ headers }) =>
    headers['x-api-key'] === keys['anthropic'] ? refusal : { text: 'ok' },
  )
  expect((await ask(setting, 'anthropic', false)).status).toBe(429)
  const other = await setting.gateway.session({
    step: 'another',
    reserve: setting.ledger.reserve,
    signal: new AbortController().signal,
    keys: () => 'sk-of-another-account',
  })
  const headers = { 'x-api-key': other.token, 'content-type': 'application/json' }
  const body = '{"model":"claude-sonnet-5","max_tokens":10,"messages":[]}'
  const answer = await fetch(`${other.url}/v1/messages`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
})

const call = { name: 'read', args: { path: 'a' } }
const ways: readonly (readonly [QuestionName, boolean])[] = formats.flatMap((format) => [
  [format, true] as const,
  [format, false] as const,
])

test.each(ways)('whose turn it is: %s, streamed: %s', async (format, stream) => {
  const script: readonly ModelAnswer[] = [
    { text: 'let me see', calls: [call, call] },
    { text: 'the title' },
    { text: 'done' },
    { text: 'and on and', stop: 'length' },
    { status: 500 },
  ]
  await using setting = await openSetting(script)
  const { activity } = setting.session
  const turn = async (...[body]: readonly object[]): Promise<unknown> => {
    const post =
      body === undefined
        ? setting
        : { post: (path: string, one: object) => setting.post(path, { ...one, ...body }) }
    await (await ask(post, format, stream)).text()
    await expect.poll(() => activity.inProgress).toBe(0)
    return activity.lastTurnEnd
  }
  expect(activity).toMatchObject({ inProgress: 0, lastTurnEnd: undefined })
  expect(await turn()).toBe('calls')
  // Another request in between, while the tools are running.
  expect(await turn()).toBe('calls')
  const results = { metadata: ['call_1_1', 'call_1_2', 'functionResponse', 'tool'] }
  expect(await turn(results)).toBe('final')
  expect(await turn()).toBe('other')
  expect(await turn()).toBe('other')
})

test('activity shows what is in progress, and when it ended', async () => {
  await using setting = await openSetting([{ does: 'hang' }], { limits: { answerMs: 300 } })
  const { activity } = setting.session
  expect(activity.lastAtMs).toBe(0)
  const answer = ask(setting, 'chat', false)
  await expect.poll(() => activity.inProgress).toBe(1)
  const beganAtMs = activity.lastAtMs
  await setting.clock.sleep(5000)
  await answer
  await expect.poll(() => activity.inProgress).toBe(0)
  expect(activity.lastAtMs).toBe(beganAtMs + 5000)
})
