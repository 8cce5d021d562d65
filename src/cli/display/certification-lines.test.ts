import { expect, test } from 'vitest'
import { checkRemarks } from './certification-lines.ts'

test('what is special about an answer stands beside it, and how often the check errs', () => {
  expect(checkRemarks({})).toBe('')
  const share = { count: 1, n: 20, value: 0.05, low: 0.0089, high: 0.2361 }
  const none = { count: 0, n: 0, value: 0, low: 0, high: 1 }
  expect(
    checkRemarks({
      counts: { passed: 3, failed: 0, skipped: 1 },
      calibration: { falseAccepts: share, falseRejects: none },
    }),
  ).toBe(
    ' (3 passed, 1 skipped; false accepts at most 5 % (1 to 24 %, n = 20), false rejects not known)',
  )
})
