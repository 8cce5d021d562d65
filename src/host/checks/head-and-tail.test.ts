import { expect, test } from 'vitest'
import { createOutputHead, headAndTail } from './head-and-tail.ts'

test('what is short is kept whole', () => {
  expect(headAndTail('a\nb', 'a\nb')).toBe('a\nb')
  expect(headAndTail('x'.repeat(4000), 'x'.repeat(4000))).toHaveLength(4000)
})

test('of what is long the beginning and the end are kept', () => {
  const text = `first line\n${'middle\n'.repeat(5000)}last line`
  const kept = headAndTail(text, text)
  expect(kept.startsWith('first line\nmiddle\n')).toBe(true)
  expect(kept.endsWith('middle\nlast line')).toBe(true)
  expect(kept).toContain('\n[…]\n')
  expect(kept.length).toBeLessThan(4100)
})

test('the beginning of a stream takes no more memory than it needs, and halves no characters', () => {
  const head = createOutputHead()
  for (let index = 0; index < 1000; index++) head.push(Buffer.from('ä€😀'.repeat(10)))
  expect(head.text().length).toBeLessThan(4001)
  const text = headAndTail(head.text(), '😀'.repeat(3000))
  expect(text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/)
})
