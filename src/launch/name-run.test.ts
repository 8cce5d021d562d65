import { expect, test } from 'vitest'
import { toName } from './name-run.ts'

test.each([
  ['Fix the Parser!', 'fix-the-parser'],
  ['  `fix_the parser` ', 'fix-the-parser'],
  ['Größe prüfen', 'gro-e-pru-fen'],
  ['one two three four five', 'one-two-three-four'],
  ['../../etc/passwd', 'etc-passwd'],
])('%j is written as %j', (text, name) => {
  expect(toName(text)).toBe(name)
})

test('names are short, and an empty text has none', () => {
  expect(toName('x'.repeat(500))?.length).toBeLessThanOrEqual(64)
  expect(toName('???')).toBeUndefined()
  expect(toName('')).toBeUndefined()
})
