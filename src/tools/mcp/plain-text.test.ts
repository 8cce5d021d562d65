import { expect, test } from 'vitest'
import { plainText, sentence } from './plain-text.ts'

test.each([
  ['a\u001b[31mb', 'a[31mb'],
  ['a\u202eb\u200bc\u{e0041}d', 'abcd'],
  ['one\ntwo\tthree\r\n', 'one\ntwo\tthree'],
  ['\ud800 x', 'x'],
  ['größe 漢字 🙂', 'größe 漢字 🙂'],
])('%j is shown as %j', (text, shown) => {
  expect(plainText(text, 100)).toBe(shown)
})

test('text over the limit is cut between characters', () => {
  expect(plainText('x'.repeat(11), 10)).toBe(`${'x'.repeat(9)}…`)
  expect(plainText('x'.repeat(1_000_000), 10)).toHaveLength(10)
  expect(plainText(`${'x'.repeat(8)}🙂🙂`, 10)).toBe(`${'x'.repeat(8)}…`)
})

test('invisible characters do not conceal that a text was cut', () => {
  expect(plainText(`a${'\u200b'.repeat(100)}b`, 10)).toMatch(/…$/)
})

test('a sentence ends with a full stop, once', () => {
  expect([sentence('x'), sentence('x.'), sentence('x!')]).toEqual(['x.', 'x.', 'x!'])
})
