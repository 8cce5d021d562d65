// E9. However much an agent sends, the memory and records of the gateway are limited.

import { expect, test } from 'vitest'
import { readExchange, writeExchange } from '../../src/gateway/index.ts'
import { openSetting, questions } from './gateway-fixture.ts'

const { path, body } = questions.anthropic
const long = (bytes: number) => ({ ...body(false), system: 'x'.repeat(bytes) })

test('waiting requests are held up to a limit; more are refused and may be retried', async () => {
  const limits = { heldBytesMax: 100_000 }
  await using setting = await openSetting([{ does: 'hang' }, { text: 'ok' }], { limits })
  const leave = new AbortController()
  const first = setting.post(path, long(60_000), { signal: leave.signal }).catch(() => undefined)
  await expect.poll(() => setting.server.requests.length).toBe(1)
  for (const question of ['anthropic', 'chat', 'responses', 'gemini'] as const) {
    const other = questions[question]
    const refused = await setting.post(other.path, {
      ...other.body(false),
      user: 'x'.repeat(60_000),
    })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.text()).toContain('Retry when some of them have ended.')
  }
  // The refused request holds nothing, and a short one still fits.
  expect((await setting.post(path, long(30_000))).status).toBe(200)
  leave.abort()
  await first
  await expect.poll(() => setting.session.activity.inProgress).toBe(0)
  for (let turn = 0; turn < 5; turn++) {
    expect((await setting.post(path, long(90_000))).status).toBe(200)
  }
  expect(setting.server.requests).toHaveLength(7)
})

test('all sessions of a gateway share that limit', async () => {
  const limits = { heldBytesMax: 100_000 }
  await using setting = await openSetting([{ does: 'hang' }], { limits })
  const other = await setting.gateway.session({
    step: 'agent:other#1',
    reserve: setting.ledger.reserve,
    signal: new AbortController().signal,
  })
  const leave = new AbortController()
  const first = setting.post(path, long(60_000), { signal: leave.signal }).catch(() => undefined)
  await expect.poll(() => setting.server.requests.length).toBe(1)
  const refused = await fetch(`${other.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': other.token },
    body: JSON.stringify(long(60_000)),
  })
  expect(refused.status).toBe(429)
  leave.abort()
  await first
})

test('a body that is expensive to parse is refused before parsing', async () => {
  await using setting = await openSetting([{ text: 'ok' }])
  const text = `{"model":"m","messages":[${'{},'.repeat(1_000_000)}{}]}`
  const refused = await setting.post(path, text)
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('more than 200000 values')
  expect(setting.server.requests).toHaveLength(0)
})

test('only the first free requests are recorded with bodies, and all of them replay', async () => {
  const limits = { unchargedBytesMax: 20_000 }
  const count = `${path}/count_tokens`
  const contents = [0, 1, 2, 3, 4].map((turn) => ({ ...long(8000), user: String(turn) }))
  await using setting = await openSetting([{ text: 'ok' }], { limits })
  for (const one of contents) expect((await setting.post(count, one)).status).toBe(200)
  expect((await setting.post(path, long(8000))).status).toBe(200)
  await setting.session.close()
  const kept = await Promise.all(setting.exchanges.map(writeExchange))
  const exchanges = await Promise.all(kept.map(readExchange))
  const lengths = exchanges.map(({ request }) => request.body.text.length > 8000)
  // Charged requests are always recorded completely.
  expect(lengths).toEqual([true, true, false, false, false, true])
  expect(exchanges.map(({ request }) => request.isOmitted)).toEqual([
    undefined,
    undefined,
    true,
    true,
    true,
    undefined,
  ])

  await using again = await openSetting([], { session: { replay: { exchanges } } })
  for (const one of contents) {
    const answer = await again.post(count, one)
    expect(await answer.json()).toMatchObject({ input_tokens: 100 })
  }
  expect((await again.post(path, long(8000))).status).toBe(200)
  const totals = await again.session.close()
  expect(totals.diverged).toBeUndefined()
  expect(again.server.requests).toHaveLength(0)
})
