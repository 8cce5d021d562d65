import { array, assert, constantFrom, nat, property } from 'fast-check'
import { expect, test } from 'vitest'
import { createLineSplitter } from './line-splitter.ts'

function split(chunks: readonly Uint8Array[], bytesMax?: number): readonly string[] {
  const lines: string[] = []
  const splitter = createLineSplitter((line) => void lines.push(line), bytesMax)
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return lines
}

const bytes = (text: string): Buffer => Buffer.from(text)

test('lines end with LF or CRLF, and the last one at the end of the stream', () => {
  expect(split([bytes('a\r\n\nb\rb\nc')])).toEqual(['a', '', 'b\rb', 'c'])
  expect(split([bytes('a\n')])).toEqual(['a'])
  expect(split([])).toEqual([])
})

test('lines are the same however the stream is split into chunks', () => {
  const text = array(constantFrom('a', '\n', '\r', 'ä', '💥', '\0'), { maxLength: 40 })
  assert(
    property(text, array(nat(12)), (parts, cuts) => {
      const whole = bytes(parts.join(''))
      const chunks: Uint8Array[] = []
      let from = 0
      for (const cut of cuts) {
        chunks.push(whole.subarray(from, from + cut))
        from += cut
      }
      chunks.push(whole.subarray(from))
      expect(split(chunks)).toEqual(split([whole]))
    }),
  )
})

test('a line that is too long is dropped and counted; the lines around it are read', () => {
  const lines: string[] = []
  const splitter = createLineSplitter((line) => void lines.push(line), 4)
  for (const chunk of ['a\n12', '34', '5', '6\nb\n1234\n', '12345\nc']) splitter.push(bytes(chunk))
  splitter.end()
  expect(lines).toEqual(['a', 'b', '1234', 'c'])
  expect(splitter.droppedLines).toBe(2)
})

test('a chunk may be reused by its owner afterwards', () => {
  const lines: string[] = []
  const splitter = createLineSplitter((line) => void lines.push(line))
  const chunk = bytes('abc')
  splitter.push(chunk)
  chunk.fill(0)
  splitter.push(bytes('d\n'))
  expect(lines).toEqual(['abcd'])
})

test('invalid UTF-8 is replaced', () => {
  expect(split([Uint8Array.from([0x61, 0xff, 0xc3, 0x0a, 0x62])])).toEqual(['a��', 'b'])
})
