import { describe, expect, test } from 'vitest'
import { type CallResult, callResultSchema, toToolResult } from './tool-result.ts'

const text = (value: string): { type: string; text: string } => ({ type: 'text', text: value })
const outputOf = (result: CallResult): unknown => toToolResult(result, undefined).output
const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const

describe('the result of a call', () => {
  test('is the texts, joined', () => {
    expect(outputOf({ content: [text('a'), text('b')] })).toBe('a\nb')
  })
  test('has notes for parts that are not text', () => {
    const content = [
      { type: 'image', mimeType: 'image/png', data: 'A'.repeat(400) },
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
      { type: 'resource', resource: { uri: 'x:1', mimeType: 'a/b', blob: 'AAAA' } },
      { type: 'resource_link', uri: 'x:2', name: 'two' },
      { type: 'hologram' },
      { type: 'image' },
      { type: 'resource' },
    ]
    expect(outputOf({ content })).toBe(
      [
        '[image, image/png, 300 bytes]',
        '[audio, audio/wav, 3 bytes]',
        '[resource, x:1, a/b, 3 bytes]',
        '[link to a resource, x:2, two]',
        '[content that cannot be shown, hologram]',
        '[image]',
        '[resource]',
      ].join('\n'),
    )
  })
  test('has the text of a resource that is text', () => {
    const resource = { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'inside' }
    expect(outputOf({ content: [{ type: 'resource', resource }] })).toBe(
      '[resource, file:///a.txt, text/plain]\ninside',
    )
  })
  test('is the data when the text only repeats it', () => {
    const structuredContent = { n: 1 }
    expect(outputOf({ content: [text('{ "n": 1 }')], structuredContent })).toEqual({ n: 1 })
    expect(outputOf({ structuredContent })).toEqual({ n: 1 })
    expect(outputOf({ content: [], structuredContent: null })).toBe(null)
  })
  test('is the text when the data only wraps it', () => {
    expect(outputOf({ content: [text('hi')], structuredContent: { content: 'hi' } })).toBe('hi')
  })
  test('is both when they differ', () => {
    const structuredContent = { n: 1 }
    expect(outputOf({ content: [text('one')], structuredContent })).toEqual({
      text: 'one',
      data: { n: 1 },
    })
  })
  test('is a failure when the tool says so, whatever its schema is', () => {
    const result = { content: [text('no such city')], isError: true }
    expect(toToolResult(result, schema)).toEqual({
      ok: false,
      error: 'tool-failed',
      output: 'no such city',
    })
  })
  test('has a limit of parts', () => {
    const content = Array.from({ length: 1500 }, () => text('x'))
    expect(outputOf({ content })).toMatch(/\n\[500 more parts left out\]$/)
  })
  test.each([
    [{ content: [text('x')] }, /no structured content/],
    [{ structuredContent: { n: '1' } }, /n: .*number/],
    [{ structuredContent: [] }, /does not match/],
    [{}, /neither/],
  ])('%j violates the output schema', (result, message) => {
    expect(() => toToolResult(result, schema)).toThrow(message)
  })
  test('that matches the output schema is the data', () => {
    expect(toToolResult({ structuredContent: { n: 1, more: 2 } }, schema).output).toEqual({
      n: 1,
      more: 2,
    })
  })
  test.each([{ content: 'x' }, { content: [1] }, { content: [{}] }, { isError: 'no' }, null, 'x'])(
    '%j is not a result',
    (result) => {
      expect(callResultSchema.safeParse(result).success).toBe(false)
    },
  )
})
