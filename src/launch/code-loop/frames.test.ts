import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameReader, toFrame } from './frames.ts'

test('messages are the same, however the bytes are split into chunks', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 20 })
  fc.assert(
    fc.property(
      texts,
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
      (sent, sizes) => {
        const bytes = Buffer.concat(sent.map(toFrame))
        const reader = createFrameReader(1000)
        const received: string[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1
          received.push(...reader.push(bytes.subarray(at, at + size)))
          at += size
        }
        expect(received).toEqual(sent)
      },
    ),
  )
})

test('a message that is too long is refused before it is buffered', () => {
  const reader = createFrameReader(10)
  expect(reader.push(toFrame('0123456789'))).toEqual(['0123456789'])
  expect(() => reader.push(toFrame('0123456789a').subarray(0, 4))).toThrow('11 bytes is too long')
})
