import { array, assert, nat, property } from 'fast-check'
import { expect, test } from 'vitest'
import { createMessageReader } from './sse.ts'

const stream =
  ': hello\n\nid: 1\ndata: {"a":1}\n\nevent: end\r\nid: 2\r\ndata: x\r\ndata:y\r\n\r\nid: 3\n\n'
const messages = [
  { id: '1', event: 'message', data: '{"a":1}' },
  { id: '2', event: 'end', data: 'x\ny' },
]

test('yields the same messages wherever the text is split', () => {
  assert(
    property(array(nat(stream.length)), (cuts) => {
      const reader = createMessageReader()
      const offsets = [0, ...cuts.toSorted((a, b) => a - b), stream.length]
      const parts = offsets.slice(1).map((end, at) => stream.slice(offsets[at], end))
      expect(parts.flatMap((part) => reader.add(part))).toEqual(messages)
    }),
  )
})

test('an id applies to the following messages, and unfinished messages are not yielded', () => {
  const reader = createMessageReader()
  expect(reader.add('id: 7\ndata: a\n\ndata: b\n\ndata: c\n')).toEqual([
    { id: '7', event: 'message', data: 'a' },
    { id: '7', event: 'message', data: 'b' },
  ])
})
