import { expect, test } from 'vitest'
import { compareLines } from './compare-lines.ts'

test.each<[string, string, string, readonly number[]]>([
  ['the same', 'a\nb\n', 'a\nb\n', [0, 0, 2]],
  ['a line that is missing', 'a\nb\n', 'a\n', [1, 0, 2]],
  ['a line too many', 'a\n', 'a\nb\n', [0, 1, 1]],
  ['a line that changed', 'a\nb\n', 'a\nc\n', [1, 1, 2]],
  ['another order', 'a\nb\n', 'b\na\n', [0, 0, 2]],
  ['a line that repeats', 'a\na\n', 'a\n', [1, 0, 2]],
  ['nothing', 'a\nb\n', '', [2, 1, 2]],
])('%s', (_what, expected, output, [missing, added, count]) => {
  expect(compareLines(expected, output)).toEqual({ missing, added, expected: count })
})
