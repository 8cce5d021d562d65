import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { measureNoise, smallestVisibleGain, withinAssumed } from './noise-floor.ts'
import { proofRepeatsMin } from './rule.ts'

test('the noise floor of a baseline, with its flaky cases by name', () => {
  const noise = measureNoise([
    { id: 'stable', scores: [1, 1, 1] },
    { id: 'flaky', scores: [1, 0, 1] },
    { id: 'failing', scores: [0, 0, 0] },
    { id: 'unscored', scores: [] },
  ])
  expect(noise).toMatchObject({ cases: 3, dispersion: 1, flaky: ['flaky'] })
  expect(noise?.mean).toBeCloseTo(5 / 9)
  expect(noise?.within).toBeCloseTo(1 / 9)
  expect(noise?.passDeviation).toBeCloseTo(Math.sqrt(2 / 27))
})

test('without a repeat the noise is unknown', () => {
  expect(measureNoise([{ id: 'a', scores: [1] }])).toBeUndefined()
  expect(measureNoise([])).toBeUndefined()
})

test('pass and fail have a dispersion of 1, graded scores a lower one', () => {
  const binary = fc.array(fc.array(fc.constantFrom(0, 1), { minLength: 2, maxLength: 4 }), {
    minLength: 1,
  })
  fc.assert(
    fc.property(binary, (lists) => {
      const noise = measureNoise(lists.map((scores, at) => ({ id: String(at), scores })))
      expect(noise?.dispersion).toBeCloseTo(1)
    }),
  )
  expect(measureNoise([{ id: 'a', scores: [0.5, 0.6, 0.4] }])?.dispersion).toBeLessThan(0.1)
})

test.each([
  [8, 0.25, 0.3],
  [20, 0.14, 0.17],
  [50, 0.08, 0.1],
  [200, 0.035, 0.05],
])('%i typical cases can see a gain of about %d to %d', (cases, low, high) => {
  const gain = smallestVisibleGain({ cases, repeats: proofRepeatsMin, within: withinAssumed })
  expect(gain).toBeGreaterThan(low)
  expect(gain).toBeLessThan(high)
})

test('more cases, more repeats and less noise show smaller gains', () => {
  const base = { cases: 50, repeats: 3, within: 0.075 }
  const gain = smallestVisibleGain(base)
  for (const better of [{ cases: 51 }, { repeats: 4 }, { within: 0.07 }, { critical: 1.5 }]) {
    expect(smallestVisibleGain({ ...base, ...better })).toBeLessThan(gain)
  }
})
