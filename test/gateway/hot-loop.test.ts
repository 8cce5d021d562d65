// E9. Whatever a provider answers, and however hard agents call: few requests are sent, and none is
// lost.

import { expect, test } from 'vitest'
import type { Clock } from '../../src/engine/index.ts'
import { openGateway } from '../../src/gateway/index.ts'
import { type ModelAnswer, startModelServer } from '../../src/testing/index.ts'
import { createLedger, keys, providersAt, questions } from './gateway-fixture.ts'

/** A second passes in a millisecond. */
const haste = 1000
const runMs = 600
const perMinuteMax = 10
/** What may be sent before it is clear that nothing works. */
const burstMax = 60

function hastyClock(): Clock {
  const begunMs = Date.now()
  return {
    now: () => begunMs + (Date.now() - begunMs) * haste,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const stop = (): void => {
          clearTimeout(timer)
          reject(signal?.reason)
        }
        const timer = setTimeout(() => {
          signal?.removeEventListener('abort', stop)
          resolve()
        }, ms / haste)
        if (signal?.aborted === true) stop()
        signal?.addEventListener('abort', stop, { once: true })
      }),
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    random: Math.random,
  }
}

const always: readonly (readonly [string, ModelAnswer])[] = [
  ['429 and at once', { status: 429, headers: { 'retry-after': '0' } }],
  ['429 and nothing', { status: 429 }],
  ['529', { status: 529 }],
  ['503', { status: 503, headers: { 'retry-after': '1' } }],
  ['500', { status: 500 }],
  ['401', { status: 401 }],
  ['400', { status: 400, message: 'prompt is too long' }],
  ['a broken connection', { does: 'cut' }],
  ['garbage', { does: 'garbage' }],
  ['a redirect', { does: 'redirect' }],
  ['half a stream', { text: 'half', fault: { does: 'cut', afterEvents: 1 } }],
]

test.each(always)('%s, always, to thirty callers that never stop', async (_name, answer) => {
  await using server = await startModelServer([answer])
  const clock = hastyClock()
  const gateway = await openGateway({
    keys: (provider) => keys[provider],
    providers: providersAt(server.url),
    clock,
  })
  const ledger = createLedger()
  const session = await gateway.session({
    step: 's',
    reserve: ledger.reserve,
    signal: new AbortController().signal,
  })
  const controller = new AbortController()
  const begunMs = clock.now()
  const hammer = async (): Promise<void> => {
    while (!controller.signal.aborted) {
      const response = await fetch(`${session.url}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': session.token },
        body: JSON.stringify(questions.anthropic.body(true)),
        signal: controller.signal,
      }).catch(() => undefined)
      await response?.text().catch(() => '')
    }
  }
  const all = Array.from({ length: 30 }, hammer)
  await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBeGreaterThan(0)
  await new Promise((resolve) => setTimeout(resolve, runMs))
  controller.abort()
  await Promise.all(all)
  await session.close()
  const minutes = (clock.now() - begunMs) / 60_000
  expect(server.requests.length).toBeLessThanOrEqual(burstMax + perMinuteMax * minutes)
  expect(ledger.open).toBe(0)
  await gateway.close()
})
