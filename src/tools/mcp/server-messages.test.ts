import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { createServerMessages, type Message, type ServerMessages } from './server-messages.ts'

let got: Message[]
let messages: ServerMessages
beforeEach(() => {
  got = []
  messages = createServerMessages({ bytesMax: 1000, noiseLinesMax: 3 }, (one) => got.push(one))
})
const ask = (id: number): void => messages.sent({ jsonrpc: '2.0', id, method: 'tools/call' })
const line = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message })

describe('the output of a server', () => {
  test('never yields more than was requested, whatever it is', () => {
    const ids = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.jsonValue())
    const parts = {
      jsonrpc: fc.constant('2.0'),
      id: ids,
      result: fc.jsonValue(),
      error: fc.jsonValue(),
    }
    const lines = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.record(parts, { requiredKeys: ['jsonrpc'] }).map((message) => JSON.stringify(message)),
    )
    fc.assert(
      fc.property(fc.array(lines), (list) => {
        const answers: unknown[] = []
        const bounds = { bytesMax: 1e6, noiseLinesMax: 1e6 }
        const fuzzed = createServerMessages(bounds, (one) => answers.push(one['id']))
        for (const id of [1, 2, 3]) fuzzed.sent({ jsonrpc: '2.0', id, method: 'tools/call' })
        for (const one of list) fuzzed.received(one)
        expect(new Set(answers).size).toBe(answers.length)
        for (const id of answers) expect([1, 2, 3]).toContain(id)
      }),
    )
  })
  test('passes if it answers a pending request, and only once', () => {
    ask(1)
    messages.received(line({ id: 1, result: {} }))
    messages.received(line({ id: 1, result: { second: true } }))
    expect(got).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  })
  test('is dropped if there was no request, and remembered as noise', () => {
    ask(1)
    messages.received(line({ id: 2, result: {} }))
    expect(got).toEqual([])
    expect(messages.noise).toContain('"id":2')
  })
  test.each(['text', null, 3, []])('becomes an error when its result is %j', (result) => {
    ask(1)
    messages.received(line({ id: 1, result }))
    expect(got).toMatchObject([{ id: 1, error: { code: -32_098 } }])
  })
  test('becomes an error when it is neither result nor error', () => {
    ask(1)
    messages.received(line({ id: 1 }))
    expect(got).toMatchObject([{ id: 1, error: { code: -32_098 } }])
  })
  test('may contain a few lines that are not messages', () => {
    for (const noise of ['hello', '[1]', 'null']) expect(messages.received(noise)).toBeUndefined()
    expect(messages.received('{"jsonrpc":"1.0"}')).toMatch(/not messages/)
  })
  test('may contain such lines again after an answer', () => {
    for (const id of [1, 2, 3]) {
      ask(id)
      for (const noise of ['a', 'b', 'c']) expect(messages.received(noise)).toBeUndefined()
      messages.received(line({ id, result: {} }))
    }
    expect(got).toHaveLength(3)
  })
  test('is limited between answers, and unsolicited answers do not reset the limit', () => {
    const log = line({ method: 'notifications/message', params: { data: 'x'.repeat(400) } })
    expect(messages.received(log)).toBeUndefined()
    messages.received(line({ id: 9, result: {} }))
    expect(messages.received(log)).toBeUndefined()
    expect(messages.received(log)).toMatch(/without an answer/)
  })
})
