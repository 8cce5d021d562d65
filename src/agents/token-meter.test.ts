import { expect, test } from 'vitest'
import type { ChatRequest, Message } from './conversation.ts'
import { createTokenMeter } from './token-meter.ts'

const message: Message = { role: 'user', text: 'Some words that are counted. '.repeat(50) }

test("the provider's count corrects the estimate, upwards and within limits", () => {
  const meter = createTokenMeter()
  const before = meter.countMessage(message)
  meter.learn(1000, 500)
  expect(meter.countMessage(message)).toBe(before)
  meter.learn(1000, 1500)
  expect(meter.countMessage(message)).toBeGreaterThan(before * 1.5)
  meter.learn(1000, Number.NaN)
  meter.learn(1000, 1_000_000)
  expect(meter.countMessage(message)).toBeLessThanOrEqual(before * 4)
})

test('everything that is sent is counted: calls, results, tools', () => {
  const meter = createTokenMeter()
  const long = 'words and words '.repeat(500)
  const counted: readonly Message[] = [
    { role: 'assistant', text: '', calls: [{ id: '1', name: 'write', args: { text: long } }] },
    { role: 'assistant', text: '', calls: [], raw: [{ type: 'reasoning', text: long }] },
    { role: 'results', results: [{ id: '1', name: 'read', ok: true, text: long }] },
  ]
  for (const one of counted) expect(meter.countMessage(one)).toBeGreaterThan(1000)
  const tool = { name: 'x', description: long, parameters: {}, risk: 'read-only' as const }
  const ask: ChatRequest = { system: '', messages: [], tools: [tool], mayCall: true, turn: 1 }
  expect(meter.countFrame(ask)).toBeGreaterThan(1000)
})
