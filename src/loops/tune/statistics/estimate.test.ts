import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimatePopulation, estimateSuite, intervalOf, verdictOf } from './estimate.ts'
import { randomFrom, shuffle } from './random.ts'
import type { SuiteScores } from './scores.ts'

const binary = fc.array(fc.constantFrom(0, 1), { minLength: 1, maxLength: 5 })
const graded = fc.array(
  fc.integer({ min: 0, max: 20 }).map((n) => n / 20),
  {
    minLength: 1,
    maxLength: 5,
  },
)
const pairs = fc.array(fc.oneof(fc.tuple(binary, binary), fc.tuple(graded, graded)), {
  minLength: 1,
  maxLength: 40,
})

const suite = (lists: readonly (readonly number[])[]): SuiteScores =>
  lists.map((scores, at) => ({ id: `case-${at}`, scores }))

const sides = (list: readonly (readonly [number[], number[]])[]): [SuiteScores, SuiteScores] => [
  suite(list.map(([before]) => before)),
  suite(list.map(([, after]) => after)),
]

const critical = { improved: 1.88, regressed: 2.33 }

describe.each([
  ['of the suite', estimateSuite],
  ['of all cases', estimatePopulation],
] as const)('an estimate %s', (_what, estimate) => {
  test('does not depend on the order of the cases', () => {
    fc.assert(
      fc.property(pairs, fc.nat(), (list, seed) => {
        fc.pre(list.length > 1)
        const [before, after] = sides(list)
        const one = estimate(before, after)
        const other = estimate(
          shuffle(before, randomFrom(seed)),
          shuffle(after, randomFrom(seed + 1)),
        )
        expect(other?.delta).toBeCloseTo(one?.delta ?? Number.NaN, 10)
        expect(other?.standardError).toBeCloseTo(one?.standardError ?? Number.NaN, 10)
      }),
    )
  })

  test('is the opposite when the sides are swapped, and never certain', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        fc.pre(list.length > 1)
        const [before, after] = sides(list)
        const [there, back] = [estimate(before, after), estimate(after, before)]
        expect(back?.delta).toBeCloseTo(-(there?.delta ?? Number.NaN), 10)
        expect(there?.standardError).toBeGreaterThan(0)
      }),
    )
  })

  test('makes no claim without a difference, however often it is repeated', () => {
    fc.assert(
      fc.property(fc.array(graded, { minLength: 2, maxLength: 40 }), (list) => {
        const found = estimate(suite(list), suite(list))
        expect(found).toMatchObject({ delta: 0, z: 0, cases: list.length })
        expect(found && verdictOf(found, critical)).toBe('inconclusive')
      }),
    )
  })

  test('and its interval never disagree with the verdict', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        fc.pre(list.length > 1)
        const found = estimate(...sides(list))
        if (found === undefined) return
        const { low, high } = intervalOf(found, critical)
        const verdict = verdictOf(found, critical)
        expect(low <= found.delta && found.delta <= high).toBe(true)
        fc.pre(Math.abs(low) > 1e-12 && Math.abs(high) > 1e-12)
        expect(low > 0).toBe(verdict === 'improved')
        expect(high < 0).toBe(verdict === 'regressed')
      }),
    )
  })
})

test('better scores never lower the difference', () => {
  fc.assert(
    fc.property(pairs, fc.nat(), (list, which) => {
      const [before, after] = sides(list)
      const at = which % list.length
      const better = after.map((one, index) =>
        index === at ? { ...one, scores: one.scores.map(() => 1) } : one,
      )
      const [was, is] = [estimateSuite(before, after), estimateSuite(before, better)]
      expect(is?.delta).toBeGreaterThanOrEqual((was?.delta ?? 2) - 1e-12)
    }),
  )
})

test('more repeats of the same scores make it more certain', () => {
  fc.assert(
    fc.property(pairs, (list) => {
      const [before, after] = sides(list)
      const double = (one: SuiteScores): SuiteScores =>
        one.map(({ id, scores }) => ({ id, scores: [...scores, ...scores] }))
      const [was, is] = [estimateSuite(before, after), estimateSuite(double(before), double(after))]
      expect(is?.standardError).toBeLessThanOrEqual((was?.standardError ?? 0) + 1e-12)
    }),
  )
})

test('makes no claim from one lucky case of a quiet suite, but does from two', () => {
  const quiet = (fixed: number): [SuiteScores, SuiteScores] => [
    suite(Array.from({ length: 50 }, () => [0, 0, 0])),
    suite(Array.from({ length: 50 }, (_, at) => (at < fixed ? [1, 1, 1] : [0, 0, 0]))),
  ]
  const verdicts = [1, 2].map((fixed) => {
    const found = estimateSuite(...quiet(fixed))
    return found && verdictOf(found, critical)
  })
  expect(verdicts).toEqual(['inconclusive', 'improved'])
})

test('a small gain of every graded case is seen', () => {
  const before = suite(Array.from({ length: 20 }, (_, at) => [at / 40, at / 40]))
  const after = suite(Array.from({ length: 20 }, (_, at) => [at / 40 + 0.02, at / 40 + 0.02]))
  const found = estimateSuite(before, after)
  expect(found?.delta).toBeCloseTo(0.02)
  expect(found && verdictOf(found, critical)).toBe('improved')
})

test('the figures of a small suite, by hand', () => {
  const before = suite([
    [1, 0],
    [0, 0],
  ])
  const after = suite([
    [1, 1],
    [1, 0],
  ])
  // Differences .5 and .5; variances (.5 + 0)/2 and (0 + .5)/2; one flip of 1 seen by (1/2 + 1/2)/2 of a run.
  const standardError = Math.sqrt((0.25 + 0.25 + 0.5) / 4)
  expect(estimateSuite(before, after)).toEqual({
    delta: 0.5,
    standardError,
    z: 0.5 / standardError,
    cases: 2,
  })
})

test('makes no estimate without common cases', () => {
  expect(estimateSuite(suite([[1]]), [{ id: 'other', scores: [1] }])).toBeUndefined()
  expect(estimatePopulation(suite([[1]]), suite([[1]]))).toBeUndefined()
})
