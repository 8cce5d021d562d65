// A replay is free and results in the same account: remaining budget, marks and problems are the
// same.

import { expect, test } from 'vitest'
import {
  type Exchange,
  faultOf,
  readExchange,
  type SessionTotals,
  writeExchange,
} from '../../src/gateway/index.ts'
import type { Amount } from '../../src/loop/index.ts'
import type { ModelScript } from '../../src/testing/index.ts'
import { ask, createLedger, openSetting, type Setting } from './gateway-fixture.ts'

interface Played {
  readonly totals: SessionTotals
  readonly spent: Amount
  readonly open: number
  readonly exchanges: readonly Exchange[]
  readonly statuses: readonly number[]
  readonly requests: number
}

type Work = (setting: Setting) => Promise<readonly number[]>

async function play(
  script: ModelScript,
  cap: Amount,
  work: Work,
  exchanges?: readonly Exchange[],
): Promise<Played> {
  const ledger = createLedger(cap)
  const { reserve, remaining } = ledger
  const replay = exchanges === undefined ? {} : { replay: { exchanges } }
  await using setting = await openSetting(script, { session: { reserve, remaining, ...replay } })
  const statuses = await work(setting)
  const totals = await setting.session.close()
  const kept = setting.exchanges.map(async (one) => readExchange(await writeExchange(one)))
  return {
    totals,
    spent: ledger.spent,
    open: ledger.open,
    exchanges: await Promise.all(kept),
    statuses,
    requests: setting.server.requests.length,
  }
}

/** Calls until it is refused. */
const untilRefused: Work = async (setting) => {
  const statuses: number[] = []
  for (let count = 0; count < 20 && (statuses.at(-1) ?? 200) === 200; count++) {
    const answer = await ask(setting, 'anthropic', count % 2 === 0)
    await answer.text().catch(() => '')
    statuses.push(answer.status)
  }
  return statuses
}

const once: Work = async (setting) => {
  const answer = await ask(setting, 'chat', true)
  await answer.text().catch(() => '')
  return [answer.status]
}

const plenty: Amount = { tokens: 1e9, costMicros: 1e9 }
const must: ModelScript = () => {
  throw new Error('a replay asked the provider')
}

test('a run that ended by its budget ends by it again, at the same call', async () => {
  const cap = { tokens: 4000, costMicros: 1e9 }
  const usage = { input: 100, output: 600 }
  const first = await play([{ text: 'more', usage }], cap, untilRefused)
  expect(first.statuses.slice(0, -1).every((status) => status === 200)).toBe(true)
  expect(first.statuses.at(-1)).toBe(402)
  expect(first.statuses.length).toBeGreaterThan(3)
  const again = await play(must, cap, untilRefused, first.exchanges)
  expect(again.statuses).toEqual(first.statuses)
  expect(again.spent).toEqual(first.spent)
  expect(again).toMatchObject({ requests: 0, open: 0 })
  expect(faultOf(again.totals)?.fault).toEqual(faultOf(first.totals)?.fault)
  expect(faultOf(again.totals)?.fault).toMatchObject({ code: 'budget', limit: 'tokens' })
})

test.each([
  ['a call that was retried', [{ status: 500 }, { text: 'ok' }]],
  ['a broken stream', [{ text: 'half', fault: { does: 'cut', afterEvents: 1 } }]],
  ['a rate limit', [{ status: 429, headers: { 'retry-after': '3600' } }]],
  ['a rejected key', [{ status: 401 }]],
  ['a conversation that is too long', [{ status: 400, message: 'prompt is too long' }]],
  ['an unknown model', [{ status: 404 }]],
  ['a provider that fails', [{ status: 500 }]],
] as readonly (readonly [string, ModelScript])[])(
  '%s has the same usage, price, mark and problem in a replay',
  async (_name, script) => {
    const first = await play(script, plenty, once)
    const again = await play(must, plenty, once, first.exchanges)
    const { requests, waitedMs, ...rest } = first.totals
    expect(again.totals).toEqual({ ...rest, requests: 0, waitedMs: 0 })
    expect(requests + waitedMs).toBeGreaterThan(0)
    expect(again.statuses).toEqual(first.statuses)
    expect(again.spent).toEqual(first.spent)
    expect(again.requests).toBe(0)
  },
)

test('a replay does not wait again for a rate limit', async () => {
  const refusal = { status: 429, headers: { 'retry-after': '3600' } }
  const first = await play([refusal], plenty, once)
  await using setting = await openSetting(must, {
    session: { replay: { exchanges: first.exchanges } },
  })
  const answer = await ask(setting, 'chat', true)
  expect(answer.status).toBe(429)
  expect(answer.headers.get('retry-after')).toBeNull()
  expect(setting.clock.slept).toEqual([])
})

test('a replay that exceeds the remaining budget is refused', async () => {
  const usage = { input: 100, output: 600 }
  const first = await play([{ text: 'more', usage }], plenty, once)
  const cap = { tokens: -1, costMicros: -1 }
  const again = await play(must, cap, once, first.exchanges)
  expect(again.statuses).toEqual([402])
  expect(faultOf(again.totals)?.fault.code).toBe('budget')
})
