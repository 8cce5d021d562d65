import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineSplitter } from './line-splitter.ts'

test('emits complete lines, however the input is split into chunks', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' })),
      fc.integer({ min: 1, max: 7 }),
      (texts, size) => {
        const lines = texts
          .map((text) => text.replaceAll(/[\n]/g, ''))
          .filter((text) => text.trim() !== '')
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
        const found: string[] = []
        const splitter = createLineSplitter(10_000, (line) => found.push(line))
        for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size))
        expect(found).toEqual(lines)
      },
    ),
  )
})

test('rejects a line that is too long before it ends', () => {
  const found: string[] = []
  const splitter = createLineSplitter(10, (line) => found.push(line))
  expect(splitter.push(Buffer.from('0123456789\n'))).toBe(true)
  expect(splitter.push(Buffer.from('01234567'))).toBe(true)
  expect(splitter.push(Buffer.from('89a'))).toBe(false)
  expect(found).toEqual(['0123456789'])
})
