import { expect, test } from 'vitest'
import { logBeta, tFor, upperTail, zFor } from './quantile.ts'

test.each([
  [0.05, 1.6449],
  [0.03, 1.8808],
  [0.01, 2.3263],
  [0.001, 3.0902],
  [0.0000625, 3.8364],
])('the one-sided quantile of %d is %d, as in tables', (alpha, z) => {
  expect(zFor(alpha)).toBeCloseTo(z, 3)
  expect(upperTail(zFor(alpha))).toBeCloseTo(alpha, 9)
})

test.each([
  [19, 1.729],
  [29, 1.699],
  [60, 1.671],
])('with %i degrees of freedom the quantile of 5 %% is %d', (degrees, t) => {
  expect(tFor(0.05, degrees)).toBeCloseTo(t, 1)
  expect(tFor(0.05, degrees)).toBeGreaterThan(t)
})

test('the beta function', () => {
  expect(Math.exp(logBeta(2, 3))).toBeCloseTo(1 / 12, 10)
  expect(Math.exp(logBeta(0.5, 0.5))).toBeCloseTo(Math.PI, 8)
})

test.each([0, -1, 0.6, Number.NaN])('an alpha of %d is refused', (alpha) => {
  expect(() => zFor(alpha)).toThrow(/alpha/)
})
