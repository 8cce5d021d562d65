import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { keepEnds } from './keep-ends.ts'

test('a text that fits stays as it is', () => {
  expect(keepEnds('abc', 3)).toBe('abc')
})

test('of a longer one the beginning and the end stay, and what was left out is counted', () => {
  const kept = keepEnds(`first ${'x'.repeat(1000)} last`, 100)
  expect(kept).toMatch(/^first x+\n\.\.\.\[\d{3} characters left out]\.\.\.\nx+ last$/)
  const left = Number(/\[(\d+)/.exec(kept)?.[1])
  expect(kept.replace(/\n.*\n/, '').length + left).toBe(1011)
})

test('it is never longer than asked for, and has no half characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(200), (text, charsMax) => {
      const kept = keepEnds(text.repeat(20), charsMax)
      expect(kept.length).toBeLessThanOrEqual(Math.max(0, charsMax))
      expect(kept).not.toMatch(/\p{Surrogate}/u)
    }),
  )
})
