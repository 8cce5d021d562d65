import { describe, expect, test } from 'vitest'
import { describeShare } from '../loop/index.ts'
import { wilson } from './wilson.ts'

describe('Wilson intervals', () => {
  // From the tables of Newcombe (1998) and of R's `prop.test(correct = FALSE)`.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
    [10, 20, 0.2993, 0.7007],
    [20, 20, 0.8389, 1],
    [1, 1, 0.2065, 1],
  ])('%d of %d is from %d to %d', (count, n, low, high) => {
    const found = wilson(count, n)
    expect(found.value).toBe(count / n)
    expect(found.low).toBeCloseTo(low, 4)
    expect(found.high).toBeCloseTo(high, 4)
  })

  test('an empty sample says nothing', () => {
    expect(wilson(0, 0)).toEqual({ count: 0, value: 0, low: 0, high: 1, n: 0 })
    expect(describeShare(wilson(0, 0))).toBe('not known')
  })

  test('a larger sample narrows the interval, which always contains the share', () => {
    for (let n = 1; n < 60; n++) {
      for (let count = 0; count <= n; count++) {
        const { value, low, high } = wilson(count, n)
        expect(low).toBeGreaterThanOrEqual(0)
        expect(high).toBeLessThanOrEqual(1)
        expect(value).toBeGreaterThanOrEqual(low)
        expect(value).toBeLessThanOrEqual(high)
        const more = wilson(2 * count, 2 * n)
        expect(more.high - more.low).toBeLessThan(high - low)
      }
    }
  })

  test('is described in percent, and never as certain if it is not', () => {
    expect(describeShare(wilson(1, 20))).toBe('5 % (1 to 24 %, n = 20)')
    expect(describeShare(wilson(0, 20))).toBe('0 % (0 to 16 %, n = 20)')
    expect(describeShare(wilson(1, 1000))).toBe('0.1 % (<0.1 to 1 %, n = 1000)')
  })
})
