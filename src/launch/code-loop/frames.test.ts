import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameReader, toFrame } from './frames.ts'

test('whatever the chunks, the messages are those that were sent', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 20 })
  fc.assert(
    fc.property(
      texts,
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
      (sent, sizes) => {
        const bytes = Buffer.concat(sent.map(toFrame))
        const reader = createFrameReader(1000)
        const got: string[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1
          got.push(...reader.push(bytes.subarray(at, at + size)))
          at += size
        }
        expect(got).toEqual(sent)
      },
    ),
  )
})

test('a message that is too long is refused before any of it is kept', () => {
  const reader = createFrameReader(10)
  expect(reader.push(toFrame('0123456789'))).toEqual(['0123456789'])
  expect(() => reader.push(toFrame('0123456789a').subarray(0, 4))).toThrow('11 bytes is too long')
})
