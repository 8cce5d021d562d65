import { describe, expect, test } from 'vitest'
import { createOutputNotes } from './output-notes.ts'

function hear(...chunks: readonly (string | Uint8Array)[]): readonly string[] {
  const heard: string[] = []
  const lines = createOutputNotes((text) => heard.push(text))
  for (const chunk of chunks) lines.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  lines.end()
  return heard
}

describe('program output', () => {
  test('is reported in complete lines, the rest at its end', () => {
    expect(hear('one\ntw', 'o\nthree')).toEqual(['one', 'two\nthree'])
  })

  test('has no colors and no control characters', () => {
    expect(hear('\u001b[31mred\u001b[0m\u0007\ttab\n')).toEqual(['red\ttab'])
  })

  test('is joined where a character was split', () => {
    const [first, second] = [Buffer.from('é\n').subarray(0, 1), Buffer.from('é\n').subarray(1)]
    expect(hear(first, second)).toEqual(['é'])
  })

  test('is reported briefly and rarely, however much there is', () => {
    const flood = Array.from({ length: 2000 }, (_, n) => `line ${n} ${'x'.repeat(5000)}\n`)
    const heard = hear(...flood)
    expect(heard.length).toBeLessThan(5)
    expect(heard.every((text) => text.length <= 500)).toBe(true)
  })

  test('is not reported if blank', () => {
    expect(hear('\n\n   \n')).toEqual([])
  })
})
