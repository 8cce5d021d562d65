import { expect, test } from 'vitest'
import { createOutputHead, joinEnds } from './head-and-tail.ts'

test('the beginning of a stream takes no more memory than it needs, and halves no characters', () => {
  const head = createOutputHead()
  for (let index = 0; index < 1000; index++) head.push(Buffer.from('ä€😀'.repeat(10)))
  expect(head.text().length).toBeLessThan(4001)
  const text = joinEnds(head.text(), '😀'.repeat(3000))
  expect(text.startsWith('ä€😀')).toBe(true)
  expect(text.endsWith('😀')).toBe(true)
  expect(text.length).toBeLessThan(4100)
  expect(text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/)
})
