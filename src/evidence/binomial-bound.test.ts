import { describe, expect, test } from 'vitest'
import { atLeast, lowerBound } from './binomial-bound.ts'

describe('the exact lower bound of a share', () => {
  test.each([
    // Tables of Clopper and Pearson, one-sided.
    [10, 10, 0.95, 0.7411],
    [29, 30, 0.95, 0.8514],
    [30, 30, 0.95, 0.905],
    [8, 10, 0.95, 0.4931],
    [1, 20, 0.95, 0.00256],
    [10, 10, 0.99, 0.631],
    [5, 10, 0.975, 0.1871],
  ])('of %i of %i at %d is %d', (count, n, confidence, bound) => {
    expect(lowerBound(count, n, confidence)).toBeCloseTo(bound, 3)
  })

  test('is 0 without successes, and never above the share itself', () => {
    expect(lowerBound(0, 50, 0.95)).toBe(0)
    expect(lowerBound(0, 0, 0.95)).toBe(0)
    for (let n = 1; n < 200; n += 7) {
      for (let count = 0; count <= n; count += 5) {
        expect(lowerBound(count, n, 0.95)).toBeLessThanOrEqual(count / n)
      }
    }
  })

  test('is missed with at most the stated probability, for any true share', () => {
    for (const share of [0.3, 0.7, 0.9, 0.99]) {
      for (const n of [5, 20, 60]) {
        // The probability that the bound is above the true share.
        const missed = Array.from({ length: n + 1 }, (_, count) => count)
          .filter((count) => lowerBound(count, n, 0.95) > share)
          .reduce((sum, count) => sum + atLeast(count, n, share) - atLeast(count + 1, n, share), 0)
        expect(missed).toBeLessThanOrEqual(0.05 + 1e-9)
      }
    }
  })
})
