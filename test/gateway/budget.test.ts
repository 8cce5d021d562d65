// E4. The worst-case cost of a call is known before it is made, and its actual cost afterwards.

import { expect, test } from 'vitest'
import { faultOf } from '../../src/gateway/totals.ts'
import { type Amount, FaultError } from '../../src/loop/index.ts'
import { ask, createLedger, openSetting, providersAt, questions } from './gateway-fixture.ts'
import { answerWith, startRawProvider } from './raw-provider.ts'

test('children that call at the same time share one cap', async () => {
  const { path, body } = questions.anthropic
  const cap: Amount = { tokens: 2200, costMicros: 1e9 }
  await using setting = await openSetting([{ text: 'ok', usage: { input: 10, output: 990 } }], {
    cap,
  })
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => setting.post(path, body(false))),
  )
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(2)
  expect(statuses.filter((status) => status === 402)).toHaveLength(6)
  expect(setting.ledger.spent.tokens).toBe(2000)
})

test('a call requests less output where that makes it fit', async () => {
  const ledger = createLedger({ tokens: 3000, costMicros: 1e9 })
  const { reserve, remaining } = ledger
  await using setting = await openSetting([{ text: 'ok' }], { session: { reserve, remaining } })
  const answer = await setting.post('/v1/messages', {
    model: 'claude-sonnet-5',
    max_tokens: 32_000,
    messages: [],
  })
  expect(answer.status).toBe(200)
  const sent = Number(setting.server.requests[0]?.body['max_tokens'])
  expect(sent).toBeGreaterThan(2800)
  expect(sent).toBeLessThan(3000)
})

test.each([
  ['/v1/messages', { model: 'claude-sonnet-5', messages: [] }, ['max_tokens']],
  ['/v1/chat/completions', { model: 'gpt-5.1', messages: [] }, ['max_completion_tokens']],
  ['/v1/responses', { model: 'gpt-5.1', input: 'x' }, ['max_output_tokens']],
  [
    '/v1beta/models/gemini-2.5-flash:generateContent',
    { contents: [] },
    ['generationConfig', 'maxOutputTokens'],
  ],
])('%s without an output limit gets one', async (path, body, place) => {
  await using setting = await openSetting([{ text: 'ok' }])
  expect((await setting.post(path, body)).status).toBe(200)
  const sent = place.reduce<unknown>(
    (value, name) => (value as Record<string, unknown>)[name],
    setting.server.requests[0]?.body,
  )
  expect(sent).toBe(16_384)
})

test.each([
  [
    'a duplicate name',
    '/v1/messages',
    '{"model":"claude-sonnet-5","max_tokens":1,"messages":[],"max_tokens":99999}',
    'twice',
  ],
  [
    'a duplicate name, escaped',
    '/v1/messages',
    '{"model":"claude-sonnet-5","max_tokens":1,"messages":[],"max\\u005ftokens":99999}',
    'twice',
  ],
  [
    'both naming styles of Gemini',
    '/v1beta/models/m:generateContent',
    '{"generationConfig":{"maxOutputTokens":1},"generation_config":{"maxOutputTokens":99999}}',
    'twice',
  ],
  [
    'background work',
    '/v1/responses',
    '{"model":"gpt-5.1","input":"x","background":true}',
    'background',
  ],
  ['no JSON', '/v1/messages', '{"model":', 'not a JSON object'],
  ['no model', '/v1/messages', '{}', 'does not name a model'],
])('%s cannot bypass the accounting', async (_name, path, body, message) => {
  await using setting = await openSetting([{ text: 'ok' }])
  const answer = await setting.post(path, body)
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain(message)
  expect(setting.server.requests).toHaveLength(0)
})

test('an unknown model is priced like the most expensive of its kind, and marked', async () => {
  await using setting = await openSetting([{ text: 'ok', usage: { input: 1_000_000, output: 0 } }])
  await setting.post('/v1/messages', {
    model: 'claude-opus-99-future',
    max_tokens: 10,
    messages: [],
  })
  const totals = await setting.session.close()
  expect(totals.isEstimated).toBe(true)
  expect(totals.spent.costMicros).toBe(15_000_000)
})

test('a stream that never reports its usage is charged an upper estimate, and marked', async () => {
  const text = 'a few words '.repeat(20)
  const speech = { text, fault: { does: 'garble' as const, event: 3 } }
  await using setting = await openSetting([speech])
  await (await ask(setting, 'chat', true)).text()
  const totals = await setting.session.close()
  expect(totals.isEstimated).toBe(true)
  expect(totals.usage.output).toBeGreaterThanOrEqual(60)
  expect(totals.usage.output).toBeLessThanOrEqual(1000)
  expect(totals.usage.input).toBeGreaterThan(10)
})

test('the limit that a client sets is lowered, never raised', async () => {
  await using setting = await openSetting([{ text: 'ok' }])
  const thinking = { type: 'enabled', budget_tokens: 2000 }
  const body = { model: 'claude-sonnet-5', max_tokens: 1000, thinking, messages: [] }
  await setting.post('/v1/messages', body)
  await setting.post('/v1/messages', { ...body, max_tokens: 1_000_000 })
  expect(setting.server.requests.map(({ body: sent }) => sent['max_tokens'])).toEqual([
    1000, 64_000,
  ])
})

test('hidden input counts as a full context window', async () => {
  const worst: Amount[] = []
  const reserve = async (amount: Amount) => {
    worst.push(amount)
    return { settle: async () => undefined }
  }
  await using setting = await openSetting([{ text: 'ok' }], { session: { reserve } })
  const body = { model: 'gpt-5.1', input: 'go', max_output_tokens: 100 }
  await setting.post('/v1/responses', body)
  await setting.post('/v1/responses', { ...body, previous_response_id: 'r1' })
  expect(worst[0]?.tokens).toBeLessThan(200)
  expect(worst[1]?.tokens).toBeGreaterThan(100_000)
})

test('an estimate that was too low is corrected by the token count of the provider', async () => {
  const worst: Amount[] = []
  const reserve = async (amount: Amount) => {
    worst.push(amount)
    return { settle: async () => undefined }
  }
  const usage = { input: 5000, output: 1 }
  await using setting = await openSetting([{ text: 'ok', usage }], { session: { reserve } })
  await ask(setting, 'anthropic', false)
  await ask(setting, 'anthropic', false)
  const [first = 0, second = 0] = worst.map(({ tokens }) => tokens - 1000)
  expect(second).toBeGreaterThan(3.9 * first)
})

test('a local server is free, but its tokens count', async () => {
  await using setting = await openSetting([{ text: 'ok' }], {
    session: { routes: { chat: 'local' } },
  })
  await setting.post('/v1/chat/completions', { model: 'qwen3', messages: [] })
  expect(setting.server.requests[0]?.body).toMatchObject({ max_tokens: 16_384 })
  expect(setting.server.requests[0]?.headers['authorization']).toBeUndefined()
  const totals = await setting.session.close()
  expect(totals).toMatchObject({ isEstimated: false, spent: { tokens: 120, costMicros: 0 } })
})

test('hidden reasoning of OpenAI models is charged if they do not report their usage', async () => {
  const { path, model } = questions.chat
  await using setting = await openSetting([{ text: 'ok', saysUsage: false }])
  const body = { model, max_completion_tokens: 900, stream: true, messages: [] }
  await (await setting.post(path, body)).text()
  const totals = await setting.session.close()
  expect(setting.exchanges[0]?.ended).toBe('complete')
  expect(totals).toMatchObject({ isEstimated: true, usage: { output: 900 } })
})

test('concurrent calls whose tools add input share one cap', async () => {
  const usage = { input: 150_000, output: 5 }
  await using setting = await openSetting([{ text: 'ok', usage }], {
    cap: { tokens: 900_000, costMicros: 1e9 },
  })
  const body = { model: 'gpt-5.1', input: 'go', max_output_tokens: 100 }
  const bodies = [
    { ...body, tools: [{ type: 'web_search' }] },
    { ...body, prompt: { id: 'pmpt_1' } },
  ]
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const { status } = await setting.post('/v1/responses', bodies[at % 2])
      return status
    }),
  )
  expect(statuses).toContain(402)
  expect(setting.ledger.spent.tokens).toBeLessThanOrEqual(900_000)
})

const millionIn = { text: 'ok', usage: { input: 1_000_000, output: 0 } }

test.each([
  ['priority', '/v1/responses', { model: 'gpt-5.1', input: 'x' }, { service_tier: 'priority' }, 2],
  ['priority', '/v1/chat/completions', { model: 'gpt-5.1' }, { service_tier: 'priority' }, 2],
  ['an unknown tier', '/v1/responses', { model: 'gpt-5.1' }, { service_tier: 'tomorrow' }, 2],
  ['fast', '/v1/messages', { model: 'claude-opus-4-6', messages: [] }, { speed: 'fast' }, 6],
  ['flex', '/v1/responses', { model: 'gpt-5.1' }, { service_tier: 'flex' }, 1],
])('service that is %s costs more (%s)', async (_name, path, body, asked, factor) => {
  const worst: Amount[] = []
  const spent: Amount[] = []
  const reserve = async (amount: Amount) => {
    worst.push(amount)
    return { settle: async (used: Amount) => void spent.push(used) }
  }
  await using setting = await openSetting([millionIn], { session: { reserve } })
  await setting.post(path, body)
  const { isEstimated: wasEstimated } = setting.session.totals
  expect(wasEstimated).toBe(false)
  await setting.post(path, { ...body, ...asked })
  const totals = await setting.session.close()
  expect(totals.isEstimated).toBe(factor > 1)
  const [usual, dear] = spent.map(({ costMicros }) => costMicros)
  expect(dear).toBe((usual ?? 0) * factor)
  const [least = 0, most = 0] = worst.map(({ costMicros }) => costMicros)
  expect(most).toBeGreaterThanOrEqual(least * factor)
})

test.each([
  ['openai', true, 10_000],
  ['local', false, 0],
])(
  'searches of %s are charged in addition to the tokens',
  async (provider, isEstimated, micros) => {
    const usage = { input_tokens: 0, output_tokens: 0 }
    const output = [{ type: 'web_search_call', id: 'ws_1' }]
    await using raw = await startRawProvider((socket) => {
      socket.end(answerWith(JSON.stringify({ status: 'completed', output, usage })))
    })
    const session = { providers: providersAt(raw.url), routes: { responses: provider } }
    await using setting = await openSetting([], { session })
    await (await ask(setting, 'responses', false)).text()
    const totals = await setting.session.close()
    expect(totals).toMatchObject({ isEstimated, spent: { tokens: 0, costMicros: micros } })
  },
)

test.each(['anthropic', 'chat', 'responses', 'gemini'] as const)(
  '%s: input and output are reserved and settled apart, with cached tokens as input',
  async (format) => {
    const worst: Amount[] = []
    const spent: Amount[] = []
    const reserve = async (amount: Amount) => {
      worst.push(amount)
      return { settle: async (used: Amount) => void spent.push(used) }
    }
    const usage = { input: 700, output: 30 }
    await using setting = await openSetting([{ text: 'ok', usage }], { session: { reserve } })
    await ask(setting, format, false)
    expect(spent).toMatchObject([{ tokens: 730, outputTokens: 30 }])
    const [reserved] = worst
    expect(reserved?.outputTokens).toBeGreaterThan(0)
    expect(reserved?.outputTokens).toBeLessThan(reserved?.tokens ?? 0)
  },
)

test('a call requests less output where the limit of output tokens demands it', async () => {
  const ledger = createLedger({ tokens: 1e6, costMicros: 1e9 })
  const remaining = () => ({ ...ledger.remaining(), outputTokens: 2000 })
  const session = { reserve: ledger.reserve, remaining }
  await using setting = await openSetting([{ text: 'ok' }], { session })
  const body = { model: 'claude-sonnet-5', max_tokens: 32_000, messages: [] }
  expect((await setting.post('/v1/messages', body)).status).toBe(200)
  const sent = Number(setting.server.requests[0]?.body['max_tokens'])
  expect(sent).toBeGreaterThan(1900)
  expect(sent).toBeLessThanOrEqual(2000)
})

test.each([
  [{ code: 'iteration-limit' }, { code: 'iteration-limit' }],
  [
    { code: 'budget', limit: 'output-tokens', agent: 'maker' } as const,
    { code: 'budget', limit: 'output-tokens', agent: 'maker' },
  ],
])('the fault that refused a call is the fault of the session: %j', async (fault, expected) => {
  const reserve = () =>
    Promise.reject(new FaultError({ message: 'no', retryable: false, ...fault }))
  await using setting = await openSetting([{ text: 'ok' }], { session: { reserve } })
  expect((await ask(setting, 'anthropic', false)).status).toBe(402)
  expect(faultOf(await setting.session.close())?.fault).toMatchObject(expected)
})
