// How the gateway treats misbehaving clients and providers, and a run that is being stopped.

import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { ask, createLedger, keys, openSetting, questions } from './gateway-fixture.ts'

test('a rate limit that one session meets applies to all sessions', async () => {
  let refusals = 1
  await using setting = await openSetting(() =>
    refusals-- > 0 ? { status: 429, headers: { 'retry-after': '3600' } } : { text: 'ok' },
  )
  const other = await setting.gateway.session({
    step: 'another',
    reserve: createLedger().reserve,
    signal: new AbortController().signal,
  })
  expect((await ask(setting, 'anthropic', false)).status).toBe(429)
  const post = (path: string, body: unknown): Promise<Response> =>
    fetch(`${other.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': other.token },
      body: JSON.stringify(body),
    })
  expect((await ask({ post }, 'anthropic', false)).status).toBe(429)
  expect(setting.server.requests).toHaveLength(1)
  expect(other.totals.trouble?.rateLimitedUntilMs).toBeGreaterThan(setting.clock.now())
  // Another model has a separate window.
  expect((await ask({ post }, 'gemini', false)).status).toBe(200)
})

test('the token of one session does not work in another', async () => {
  await using setting = await openSetting([{ text: 'ok' }])
  const other = await setting.gateway.session({
    step: 'another',
    reserve: createLedger().reserve,
    signal: new AbortController().signal,
  })
  const headers = { 'x-api-key': other.token }
  expect((await ask(setting, 'anthropic', false, { headers })).status).toBe(401)
})

test('an agent that keeps retrying regardless of the responses is slowed down', async () => {
  await using setting = await openSetting([{ status: 401 }])
  for (let count = 0; count < 12; count++) await ask(setting, 'chat', false)
  expect(setting.clock.slept).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('a request that is too long is refused, with or without a declared length', async () => {
  await using setting = await openSetting([{ text: 'ok' }], {
    limits: { requestBytesMax: 100_000 },
  })
  const body = { ...questions.anthropic.body(false), more: 'x'.repeat(200_000) }
  const said = await setting.post('/v1/messages', body)
  expect(said.status).toBe(413)
  expect(await said.json()).toMatchObject({ error: { type: 'request_too_large' } })
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
  const unsaid = await fetch(`${setting.session.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': setting.session.token },
    body: stream,
    duplex: 'half',
  })
  expect(unsaid.status).toBe(413)
  expect(setting.server.requests).toHaveLength(0)
})

test('a client that does not read is disconnected, and the provider is released', async () => {
  const limits = { clientStallMs: 150, idleMs: 5000, totalMs: 10_000 }
  await using setting = await openSetting([{ does: 'flood' }], { limits })
  const { url, token } = setting.session
  const { port } = new URL(url)
  const body = JSON.stringify(questions.anthropic.body(true))
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.pause()
  socket.write(
    `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
      `x-api-key: ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await expect.poll(() => setting.exchanges.length, { timeout: 5000 }).toBe(1)
  expect(setting.exchanges[0]).toMatchObject({ ended: 'client-gone', isEstimated: true })
  expect(setting.ledger.open).toBe(0)
  socket.destroy()
})

test('stopping a run ends the calls in progress, charges them and accepts no new ones', async () => {
  const controller = new AbortController()
  await using setting = await openSetting(
    [{ text: 'half', fault: { does: 'stall', afterEvents: 1 } }],
    { session: { signal: controller.signal }, limits: { idleMs: 60_000 } },
  )
  const answer = await ask(setting, 'anthropic', true)
  const text = answer.text().catch(() => '')
  controller.abort()
  expect(await text).toContain('connection to the provider broke')
  await expect.poll(() => setting.exchanges.length).toBe(1)
  expect(setting.ledger.open).toBe(0)
  expect(setting.ledger.spent.tokens).toBeGreaterThanOrEqual(100)
  expect((await ask(setting, 'anthropic', true)).status).toBe(503)
  expect(setting.server.requests).toHaveLength(1)
})

test('closing a session ends its wait for a rate limit', async () => {
  await using setting = await openSetting([{ status: 429, headers: { 'retry-after': '30' } }])
  // This clock passes at once, so the wait is made real.
  let waiting = false
  Object.assign(setting.clock, {
    sleep: (_ms: number, signal: AbortSignal) =>
      new Promise((_resolve, reject) => {
        waiting = true
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      }),
  })
  const answer = ask(setting, 'responses', false)
  await expect.poll(() => waiting).toBe(true)
  const totals = await setting.session.close()
  expect((await answer).status).toBe(503)
  expect(totals.requests).toBe(1)
  expect(setting.ledger.open).toBe(0)
})

test('more concurrent requests than the limit are refused for now', async () => {
  await using setting = await openSetting([{ does: 'hang' }], {
    limits: { concurrentMax: 2, answerMs: 300 },
  })
  const answers = await Promise.all([1, 2, 3].map(() => ask(setting, 'chat', false)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([429, 504, 504])
})

test('a key that changes while a session is open is used, and is masked too', async () => {
  const before = keys['anthropic']
  await using setting = await openSetting([
    { status: 401, message: 'the key sk-new-key-31415926 is bad' },
  ])
  try {
    Object.assign(keys, { anthropic: 'sk-new-key-31415926' })
    const text = await (await ask(setting, 'anthropic', false)).text()
    expect(setting.server.requests[0]?.headers['x-api-key']).toBe('sk-new-key-31415926')
    expect(text).not.toContain('31415926')
    const totals = await setting.session.close()
    expect(JSON.stringify([setting.exchanges, totals])).not.toContain('31415926')
  } finally {
    Object.assign(keys, { anthropic: before })
  }
})

test('token counts are free', async () => {
  await using setting = await openSetting([{ text: 'ok' }], { cap: { tokens: 0, costMicros: 0 } })
  const gemini = await setting.post('/v1beta/models/gemini-2.5-flash:countTokens', { contents: [] })
  expect(await gemini.json()).toMatchObject({ totalTokens: 100 })
  const body = { model: 'claude-sonnet-5', messages: [] }
  const anthropic = await setting.post('/v1/messages/count_tokens', body)
  expect(await anthropic.json()).toMatchObject({ input_tokens: 100 })
  const totals = await setting.session.close()
  expect(totals).toMatchObject({ requests: 2, trouble: undefined, spent: { tokens: 0 } })
})

test('a slow client that does read gets everything: it is not mistaken for a silent provider', async () => {
  const limits = { idleMs: 1500, clientStallMs: 20_000, totalMs: 40_000 }
  const text = 'x'.repeat(12 * 1024 * 1024)
  await using setting = await openSetting([{ text }], { limits })
  const answer = await ask(setting, 'anthropic', true)
  await new Promise((resolve) => setTimeout(resolve, 2500))
  expect((await answer.text()).length).toBeGreaterThan(text.length)
  await setting.session.close()
  expect(setting.exchanges[0]?.ended).toBe('complete')
})

test('after a success, a provider is called without delay again', async () => {
  const refusal = { status: 429, headers: { 'retry-after': '0' } }
  await using setting = await openSetting([refusal, { text: 'ok' }, refusal, { text: 'ok' }])
  await ask(setting, 'chat', false)
  const first = setting.session.totals.waitedMs
  await ask(setting, 'chat', false)
  expect(setting.session.totals.waitedMs).toBeLessThanOrEqual(2 * 250)
  expect(first).toBeGreaterThan(0)
})

test('a request whose client disconnected before it was sent costs nothing', async () => {
  const ledger = createLedger()
  let reserved: (() => void) | undefined
  await using setting = await openSetting([{ text: 'ok' }], {
    session: {
      async reserve(worst) {
        await new Promise<void>((resolve) => (reserved = resolve))
        return ledger.reserve(worst)
      },
    },
  })
  const controller = new AbortController()
  const answer = ask(setting, 'chat', false, { signal: controller.signal }).catch(() => 'gone')
  await expect.poll(() => reserved).toBeDefined()
  controller.abort()
  expect(await answer).toBe('gone')
  await new Promise((resolve) => setTimeout(resolve, 50))
  reserved?.()
  await expect.poll(() => setting.exchanges.length).toBe(1)
  expect(ledger).toMatchObject({ open: 0, spent: { tokens: 0 } })
  expect(setting.server.requests).toHaveLength(0)
})
