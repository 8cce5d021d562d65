import { expect, test } from 'vitest'
import { addScores, meanOf, pairScores, passes } from './scores.ts'

const of = (id: string, ...scores: number[]): { id: string; scores: number[] } => ({ id, scores })

test('a case without a score on one side makes no pair: a broken machine does not count as a failure', () => {
  const before = [of('a', 1), of('b'), of('c', 0)]
  const after = [of('c', 1), of('b', 1), of('a'), of('d', 1)]
  expect(pairScores(before, after)).toEqual([{ id: 'c', before: [0], after: [1] }])
})

test('runs are added to their case, whatever it is called', () => {
  const suite = addScores([of('__proto__', 1)], [of('constructor', 0), of('__proto__', 0.5)])
  expect(suite).toEqual([of('__proto__', 1, 0.5), of('constructor', 0)])
})

test('a case passes only if all of its repeats pass', () => {
  expect([of('a', 1, 1), of('a', 1, 0.99), of('a')].map(passes)).toEqual([true, false, false])
})

test.each([Number.NaN, -0.1, 1.01, Number.POSITIVE_INFINITY])('a score of %s is refused', (bad) => {
  expect(() => meanOf([1, bad])).toThrow(/not from 0 to 1/)
})
