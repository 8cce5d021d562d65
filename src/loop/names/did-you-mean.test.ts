import { expect, test } from 'vitest'
import { findNearestName, suggestName } from './nearest-name.ts'

const names = ['path', 'offset', 'limit', 'replaceAll', '__proto__']

test.each([
  ['pth', 'path'],
  ['paht', 'path'],
  ['PATH', 'path'],
  ['replace_all', 'replaceAll'],
  ['offest', 'offset'],
  ['limits', 'limit'],
  ['__prot__', '__proto__'],
])('%s is near %s', (name, expected) => {
  expect(findNearestName(name, names)).toBe(expected)
})

test.each(['', 'x', 'zzzz', 'command', 'p'.repeat(101), 'p'.repeat(1_000_000)])(
  'no suggestion for %.20s',
  (name) => {
    expect(findNearestName(name, names)).toBeUndefined()
    expect(suggestName(name, names)).toBe('')
  },
)

test('a single letter is not a typo of another one', () => {
  expect(findNearestName('a', ['b'])).toBeUndefined()
})

test('suggests the nearest name, not the first', () => {
  expect(suggestName('reads', ['bread', 'read'])).toBe(' Did you mean "read"?')
})
