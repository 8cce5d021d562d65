import { describe, expect, test } from 'vitest'
import { createSaidLines } from './said-lines.ts'

function hear(...chunks: readonly (string | Uint8Array)[]): readonly string[] {
  const heard: string[] = []
  const lines = createSaidLines((text) => heard.push(text))
  for (const chunk of chunks) lines.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  lines.end()
  return heard
}

describe('what a program prints', () => {
  test('is said in whole lines, the rest at its end', () => {
    expect(hear('one\ntw', 'o\nthree')).toEqual(['one', 'two\nthree'])
  })

  test('has no colours and no control characters', () => {
    expect(hear('\u001b[31mred\u001b[0m\u0007\ttab\n')).toEqual(['red\ttab'])
  })

  test('is put together where a character was cut', () => {
    const [first, second] = [Buffer.from('é\n').subarray(0, 1), Buffer.from('é\n').subarray(1)]
    expect(hear(first, second)).toEqual(['é'])
  })

  test('is said in short, and seldom, however much it is', () => {
    const flood = Array.from({ length: 2000 }, (_, n) => `line ${n} ${'x'.repeat(5000)}\n`)
    const heard = hear(...flood)
    expect(heard.length).toBeLessThan(5)
    expect(heard.every((text) => text.length <= 500)).toBe(true)
  })

  test('is nothing where it is blank', () => {
    expect(hear('\n\n   \n')).toEqual([])
  })
})
