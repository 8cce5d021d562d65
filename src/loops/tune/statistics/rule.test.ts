import { expect, test } from 'vitest'
import { type Alpha, holdoutAlpha, iterationAlpha, proofAlpha, proofRepeats } from './rule.ts'

const sumOf = ({ improved, regressed }: Alpha): number => improved + regressed

test('all that a loop may say of its suite has a false claim in at most 5 % of loops', () => {
  let sum = 0
  for (let iteration = 1; iteration <= 2000; iteration++) sum += sumOf(iterationAlpha(iteration, 1))
  for (let attempt = 1; attempt <= 60; attempt++) sum += sumOf(proofAlpha(attempt))
  expect(sum).toBeLessThanOrEqual(0.05)
  expect(sum).toBeGreaterThan(0.049)
  expect(sumOf(holdoutAlpha)).toBeCloseTo(0.05)
})

test('options that are raced share the alpha of their iteration', () => {
  expect(3 * sumOf(iterationAlpha(5, 3))).toBeCloseTo(sumOf(iterationAlpha(5, 1)))
})

test.each([
  [undefined, 3],
  [0, 3],
  [2 * 4 * 50 + 2 * 3 * 10 - 1, 3],
  [2 * 4 * 50 + 2 * 3 * 10, 4],
  [1e9, 5],
])(
  'with %d runs left, a proof of 50 cases and a holdout of 10 repeats each %i times',
  (runs, expected) => {
    const left = { cases: 50, holdoutCases: 10, ...(runs === undefined ? {} : { runs }) }
    expect(proofRepeats(left)).toBe(expected)
  },
)
