import { expect, test } from 'vitest'
import { describeCeiling, renderLevels } from './levels-view.ts'

test('a level above that of the loop file is pointed out', () => {
  expect(describeCeiling({ ceiling: 2 }, 3)).toBe(
    'The loop file allows level 2 at most, so its runs stay there. To allow more, change its key "level".',
  )
})

test.each([
  [2, 2],
  [3, 1],
  [undefined, 3],
  [1, undefined],
] as const)('with a ceiling of %s, %s needs no note', (ceiling, wanted) => {
  expect(describeCeiling({ ceiling }, wanted)).toBeUndefined()
})

test('a loop without a level is named', () => {
  expect(renderLevels([], [], 'gone')).toContain('No loop "gone" has a level yet.')
  expect(renderLevels([], [])).toBe('No loop has a level yet.')
})
