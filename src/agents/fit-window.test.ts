import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Message } from './conversation.ts'
import { fitWindow } from './fit-window.ts'

/** One token for each character, so that sums can be checked by eye. */
const tokensOf = (message: Message): number => {
  if (message.role === 'user') return message.text.length
  if (message.role === 'assistant') return message.text.length
  return message.results.reduce((sum, { text }) => sum + text.length, 0)
}
const total = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + tokensOf(message), 0)

const turn = (id: string, said: number, result: number): readonly Message[] => [
  { role: 'assistant', text: 's'.repeat(said), calls: [{ id, name: 'read', args: {} }] },
  { role: 'results', results: [{ id, name: 'read', ok: true, text: 'r'.repeat(result) }] },
]
const prompt: Message = { role: 'user', text: 'p'.repeat(500) }

describe('what goes first', () => {
  test('nothing, if everything fits', () => {
    const messages = [prompt, ...turn('1', 10, 1000)]
    expect(fitWindow(messages, 1510, tokensOf)).toEqual({ messages, cutTokens: 0, what: '' })
  })

  test('the oldest results, and no more of them than needed', () => {
    const messages = [
      prompt,
      ...turn('1', 10, 5000),
      ...turn('2', 10, 1000),
      ...turn('3', 10, 1000),
    ]
    const fitted = fitWindow(messages, 5000, tokensOf)
    expect(fitted.what).toBe('1 tool results')
    expect(fitted.messages.slice(3)).toEqual(messages.slice(3))
    expect(JSON.stringify(fitted.messages[2])).toContain('5000 characters; call read again')
    expect(fitted.cutTokens).toBeGreaterThan(4000)
  })

  test('then the oldest turns; calls stay with their results', () => {
    const turns = Array.from({ length: 20 }, (_, n) => turn(`${n}`, 500, 100)).flat()
    const fitted = fitWindow([prompt, ...turns], 5000, tokensOf)
    expect(fitted.messages[0]).toBe(prompt)
    expect(JSON.stringify(fitted.messages[1])).toContain('left out')
    expect(fitted.messages[2]?.role).toBe('assistant')
    expect(fitted.messages.at(-1)).toBe(turns.at(-1))
    expect(total(fitted.messages)).toBeLessThanOrEqual(3500)
  })

  test('then the middle of the last results, and the prompt last', () => {
    const messages = [prompt, ...turn('1', 10, 50_000)]
    const fitted = fitWindow(messages, 5000, tokensOf)
    expect(fitted.messages[0]).toBe(prompt)
    expect(total(fitted.messages)).toBeLessThanOrEqual(3500)
    const only = fitWindow([{ role: 'user', text: 'p'.repeat(50_000) }], 5000, tokensOf)
    expect(total(only.messages)).toBeLessThanOrEqual(3500)
  })

  test('a second cut leaves one notice', () => {
    const turns = (from: number) =>
      Array.from({ length: 10 }, (_, n) => turn(`${from + n}`, 500, 10)).flat()
    const once = fitWindow([prompt, ...turns(0)], 4000, tokensOf)
    const twice = fitWindow([...once.messages, ...turns(10)], 4000, tokensOf)
    expect(JSON.stringify(twice.messages).match(/left out/g)).toHaveLength(1)
  })
})

test('more results than a function accepts arguments can be cut', () => {
  const ids = Array.from({ length: 200_000 }, (_, index) => `${index}`)
  const results = ids.map((id) => ({ id, name: 'read', ok: false, text: 'no' }))
  const calls = ids.map((id) => ({ id, name: 'read', args: {} }))
  const messages: readonly Message[] = [
    prompt,
    { role: 'assistant', text: '', calls },
    { role: 'results', results },
  ]
  expect(fitWindow(messages, 1000, tokensOf).messages).toHaveLength(3)
})

test('whatever the conversation, it fits afterwards and every call has its result', () => {
  const size = fc.integer({ min: 0, max: 20_000 })
  const anyTurn = fc.tuple(fc.integer({ min: 0, max: 300 }), size, fc.boolean())
  const conversations = fc.tuple(size, fc.array(anyTurn, { maxLength: 30 }))
  fc.assert(
    fc.property(conversations, fc.integer({ min: 4000, max: 60_000 }), ([first, turns], room) => {
      const messages: readonly Message[] = [
        { role: 'user', text: 'p'.repeat(first) },
        ...turns.flatMap(([said, result, nudged], n) => [
          ...turn(`${n}`, said, result),
          ...(nudged ? [{ role: 'user' as const, text: 'nudge' }] : []),
        ]),
      ]
      const fitted = fitWindow(messages, room, tokensOf)
      expect(total(fitted.messages)).toBeLessThanOrEqual(room)
      for (const [index, message] of fitted.messages.entries()) {
        if (message.role !== 'assistant') continue
        const next = fitted.messages[index + 1]
        const answered = next?.role === 'results' ? next.results.map(({ id }) => id) : []
        expect(answered).toEqual(message.calls.map(({ id }) => id))
      }
    }),
    { numRuns: 300 },
  )
})
