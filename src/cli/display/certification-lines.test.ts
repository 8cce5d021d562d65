import { describe, expect, test } from 'vitest'
import { certificationOf, checkRemarks } from './certification-lines.ts'

describe('the result of a certification', () => {
  test('is recognized by its shape, whatever else a step returned', () => {
    expect(certificationOf({ type: 'certified', certificate: 'abc' })).toEqual({
      type: 'certified',
      certificate: 'abc',
    })
    const refusals = [{ code: 'flaky', message: 'now so, now so', check: 'test' }]
    expect(certificationOf({ type: 'refused', refusals })).toEqual({
      type: 'refused',
      refusals: [{ code: 'flaky', message: 'now so, now so' }],
    })
    for (const other of [null, 'certified', { type: 'certified' }, { type: 'refused' }, []]) {
      expect(certificationOf(other)).toBeUndefined()
    }
  })

  test('has a word for what is special about a check', () => {
    expect(checkRemarks({})).toBe('')
    expect(
      checkRemarks({
        counts: { passed: 3, failed: 1, skipped: 2 },
        reused: true,
        flaky: true,
        existing: true,
        allowed: true,
      }),
    ).toBe(
      ' (3 passed, 1 failed, 2 skipped; cached: same files; flaky: had another result on the same files; also failed before the run, which is allowed)',
    )
  })
})
