import { expect, test } from 'vitest'
import { parseDuration } from './duration.ts'

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['1.5m', 90_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['0s', 0],
])('%s is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each(['', '5', 's', '-1s', '1 s', '1e3s', '1S', '1s1m', 'constructors', '٣s'])(
  '"%s" is not a duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined()
  },
)
