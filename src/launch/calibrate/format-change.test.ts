import { expect, test } from 'vitest'
import { formatChange } from './format-change.ts'

test('a change is formatted with context lines', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', ''].join('\n')
  expect(formatChange('x.js', before, before.replace('e', 'E\nE'))).toBe(
    [
      '--- a/x.js',
      '+++ b/x.js',
      '@@ -2,7 +2,8 @@',
      ' b',
      ' c',
      ' d',
      '-e',
      '+E',
      '+E',
      ' f',
      ' g',
      ' h',
      '',
    ].join('\n'),
  )
})
