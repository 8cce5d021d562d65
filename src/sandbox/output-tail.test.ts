import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createOutputTail } from './output-tail.ts'

test('keeps everything up to the limit, then the newest bytes', () => {
  const tail = createOutputTail(4)
  tail.push(Buffer.from('ab'))
  expect(tail.text()).toBe('ab')
  tail.push(Buffer.from('cd'))
  expect(tail.text()).toBe('abcd')
  tail.push(Buffer.from('e'))
  expect(tail.text()).toBe('bcde')
  tail.push(Buffer.from('0123456789'))
  expect(tail.text()).toBe('6789')
})

test('keeps nothing with a limit of zero', () => {
  const tail = createOutputTail(0)
  tail.push(Buffer.from('abc'))
  expect(tail.text()).toBe('')
})

test('keeps the end in whole characters, however the input is split into chunks', () => {
  const chunks = fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 30 })
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 40 }), (texts, bytesMax) => {
      const tail = createOutputTail(bytesMax)
      for (const text of texts) tail.push(Buffer.from(text))
      const whole = texts.join('')
      const kept = tail.text()
      expect(whole.endsWith(kept)).toBe(true)
      const bytes = Buffer.byteLength(kept)
      expect(bytes).toBeLessThanOrEqual(bytesMax)
      // At most one character less than fits.
      expect(bytes).toBeGreaterThan(Math.min(bytesMax, Buffer.byteLength(whole)) - 4)
      expect(kept === whole).toBe(Buffer.byteLength(whole) <= bytesMax)
    }),
  )
})

test('searches at most four bytes for the start of a character in binary output', () => {
  const tail = createOutputTail(8)
  tail.push(Buffer.alloc(100, 0x80))
  expect(tail.text()).toBe('\ufffd'.repeat(8))
})
