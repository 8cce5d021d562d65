import { expect, test } from 'vitest'
import { shownChange } from './shown-change.ts'

test('a change is shown with what stands around it', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', ''].join('\n')
  expect(shownChange('x.js', before, before.replace('e', 'E\nE'))).toBe(
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
