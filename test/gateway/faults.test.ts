// Everything that providers do wrong, in each format: the right class, no hang beyond the idle
// limit, and accounting that matches the provider's own bill to the token.

import { describe, expect, test } from 'vitest'
import { faultOf } from '../../src/gateway/index.ts'
import type { ModelAnswer, StreamFault } from '../../src/testing/index.ts'
import { ask, formats, openSetting, type Setting } from './gateway-fixture.ts'

/** Short only where timeouts are tested; otherwise a busy machine would look like a fault. */
const strict = { idleMs: 150, totalMs: 30_000, answerMs: 300 }
const limits = { idleMs: 20_000, totalMs: 60_000, answerMs: 20_000 }
const idle = { ...limits, idleMs: 150 }
const good: ModelAnswer = { text: 'Grüße 👋', usage: { input: 500, output: 40 } }

/** Tokens of all requests, as the server counts them. */
function billed({ server }: Setting): number {
  return server.bills.reduce((sum, { input, output }) => sum + input + output, 0)
}

async function readAll(response: Response): Promise<string> {
  return response.text().catch((error: unknown) => `broken: ${String(error)}`)
}

describe.each(formats)('%s', (format) => {
  test.each([
    [429, { 'retry-after': '7' }, 7000],
    [429, {}, 2000],
    [429, { 'retry-after': '0' }, 250],
    [529, {}, 2000],
    [503, { 'retry-after': '3' }, 3000],
  ])('%s with %j is waited out and reported, not failed', async (status, headers, waitMs) => {
    await using setting = await openSetting([{ status, headers }, good], { limits })
    const answer = await ask(setting, format, true)
    expect(answer.status).toBe(200)
    await readAll(answer)
    const totals = await setting.session.close()
    expect(totals).toMatchObject({ requests: 2, trouble: undefined, isEstimated: false })
    expect(setting.notes[0]).toMatchObject({ type: 'waiting' })
    expect(totals.waitedMs).toBe(waitMs)
    expect(setting.ledger.spent.tokens).toBe(billed(setting))
    expect(setting.exchanges[0]).toMatchObject({ attempts: 2, ended: 'complete' })
  })

  test('a window that opens late is reported to the client and to the engine', async () => {
    const refusal = { status: 429, headers: { 'retry-after': '3600' } }
    await using setting = await openSetting([refusal], { limits })
    const answer = await ask(setting, format, true)
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe('3600')
    const again = await ask(setting, format, true)
    expect(again.status).toBe(429)
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(3500)
    const totals = await setting.session.close()
    expect(totals.requests).toBe(1)
    expect(faultOf(totals)?.fault).toMatchObject({ code: 'rate-limited', retryable: true })
    expect(totals.trouble?.rateLimitedUntilMs).toBeGreaterThan(setting.clock.now() + 3_500_000)
    expect(setting.ledger.spent.tokens).toBe(0)
  })

  test('a provider that always says "retry at once" is called a few times, with growing delays', async () => {
    const refusal = { status: 429, headers: { 'retry-after': '0' } }
    await using setting = await openSetting([refusal], { limits })
    expect((await ask(setting, format, true)).status).toBe(429)
    expect(setting.server.requests).toHaveLength(6)
    expect(
      setting.clock.slept
        .filter((ms) => ms > 0)
        .toSorted((a, b) => a - b)
        .at(-1),
    ).toBeGreaterThan(3000)
    expect(setting.ledger.spent.tokens).toBe(0)
  })

  test.each([500, 502, 504])('%s is retried a few times, then passed on', async (status) => {
    await using setting = await openSetting([{ status }, { status }, good], { limits })
    expect((await ask(setting, format, false)).status).toBe(200)
    expect((await setting.session.close()).requests).toBe(3)
    expect(setting.ledger.spent.tokens).toBe(billed(setting))
    await using broken = await openSetting([{ status, message: 'oops' }], { limits })
    const answer = await ask(broken, format, false)
    expect(answer.status).toBe(status)
    expect(await answer.text()).toContain('oops')
    const totals = await broken.session.close()
    expect(totals.requests).toBe(4)
    expect(faultOf(totals)?.fault).toMatchObject({ code: 'provider-failed', retryable: true })
  })

  test.each([
    [401, 'invalid x-api-key', 'not-allowed', 'provider-denied'],
    [403, 'no access', 'not-allowed', 'provider-denied'],
    [429, 'insufficient_quota', 'not-allowed', 'provider-denied'],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum', 'too-long', 'provider-refused'],
    [404, 'no such model', 'unknown-model', 'unknown-model'],
    [400, 'messages: bad role', 'refused', undefined],
  ])('%s "%s" is passed on at once as %s', async (status, message, ended, code) => {
    await using setting = await openSetting([{ status, message }], { limits })
    const answer = await ask(setting, format, true)
    expect(answer.status).toBe(status)
    expect(await answer.text()).toContain(message)
    const totals = await setting.session.close()
    expect(totals.requests).toBe(1)
    expect(setting.exchanges[0]).toMatchObject({ ended, spent: { tokens: 0, costMicros: 0 } })
    expect(faultOf(totals)?.fault.code).toBe(code)
  })

  const faults: readonly (readonly [string, StreamFault, string])[] = [
    ['one byte now and then', { does: 'drip', everyMs: 40 }, 'idle'],
    ['silence', { does: 'stall', afterEvents: 1 }, 'idle'],
    ['silence before the first event', { does: 'stall', afterEvents: 0 }, 'idle'],
    ['a cut inside an event', { does: 'cut-inside', event: 1 }, 'cut'],
    ['malformed JSON', { does: 'garble', event: 1 }, 'malformed'],
  ]
  test.each(faults)(
    '%s is noticed, ends in time and is charged an upper estimate',
    async (_name, fault, ended) => {
      await using setting = await openSetting([{ ...good, fault }], { limits: idle })
      await readAll(await ask(setting, format, true))
      const totals = await setting.session.close()
      expect(setting.exchanges[0]).toMatchObject({ ended, attempts: 1 })
      expect(totals.requests).toBe(1)
      const charged = setting.ledger.spent.tokens
      expect(totals.isEstimated || charged === billed(setting)).toBe(true)
      expect(charged).toBeGreaterThan(0)
      expect(setting.ledger.open).toBe(0)
    },
  )

  test('a stream without its end marker is reported as broken', async () => {
    await using setting = await openSetting([{ ...good, fault: { does: 'no-stop' } }], { limits })
    const text = await readAll(await ask(setting, format, true))
    await setting.session.close()
    // In chat, the event before the last one marks the end.
    const isOver = format === 'chat'
    expect(setting.exchanges[0]?.ended).toBe(isOver ? 'complete' : 'no-stop')
    expect(text.includes('ended early')).toBe(!isOver)
  })

  test('characters split over chunks arrive intact', async () => {
    await using setting = await openSetting([{ ...good, fault: { does: 'split' } }], { limits })
    const text = await readAll(await ask(setting, format, true))
    expect(text).toContain('Grüße 👋')
    await setting.session.close()
    expect(setting.exchanges[0]).toMatchObject({ ended: 'complete', isEstimated: false })
    expect(setting.ledger.spent.tokens).toBe(540)
  })

  test('a line of ten megabytes passes, and its usage is read', async () => {
    const text = 'x'.repeat(10 * 1024 * 1024)
    await using setting = await openSetting([{ ...good, text }], { limits })
    const answer = await readAll(await ask(setting, format, true))
    expect(answer.length).toBeGreaterThan(text.length)
    await setting.session.close()
    expect(setting.ledger.spent.tokens).toBe(540)
    expect(setting.exchanges[0]).toMatchObject({ ended: 'complete', isEstimated: false })
  })

  test.each(['hang', 'garbage', 'redirect', 'cut'] as const)(
    'a server that does %s ends in time',
    async (does) => {
      await using setting = await openSetting([{ does }], {
        limits: does === 'hang' ? strict : limits,
      })
      const answer = await ask(setting, format, false).catch(() => undefined)
      if (answer !== undefined) await readAll(answer)
      const ended = { hang: 'silent', garbage: 'malformed', redirect: 'redirect', cut: 'cut' }[does]
      await setting.session.close()
      expect(setting.exchanges[0]?.ended).toBe(ended)
      expect(setting.ledger.open).toBe(0)
    },
  )

  test('an endless response ends at the time limit', async () => {
    const endless = { ...limits, totalMs: 200 }
    await using setting = await openSetting([{ does: 'flood' }], { limits: endless })
    await readAll(await ask(setting, format, true))
    await setting.session.close()
    expect(setting.exchanges[0]).toMatchObject({ ended: 'too-slow', isEstimated: true })
  })

  test('a client that disconnects cancels its request', async () => {
    await using setting = await openSetting(
      [{ ...good, fault: { does: 'stall', afterEvents: 1 } }],
      {
        limits,
      },
    )
    const controller = new AbortController()
    const answer = await ask(setting, format, true, { signal: controller.signal })
    expect(answer.status).toBe(200)
    controller.abort()
    await expect.poll(() => setting.exchanges.length).toBe(1)
    expect(setting.exchanges[0]?.ended).toBe('client-gone')
    expect(setting.ledger.open).toBe(0)
  })
})
