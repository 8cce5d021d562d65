import { expect, test } from 'vitest'
import type { IterationPoint, StateSummary } from '../../loop/run-summary.ts'
import { decodeSummary, encodeSummary, isSameExceptTime } from './summary-code.ts'

const point = (iteration: number): IterationPoint => ({
  iteration,
  costMicros: 10 * iteration,
  tokens: 7,
  met: 1,
})

const summary: StateSummary = {
  spent: { tokens: 1, costMicros: 2 },
  limits: { iterations: 5, timeMs: 1000, tokens: 10, costMicros: 10, sameErrors: 3 },
  activeMs: 3,
  checks: { of: 2, met: 1, pending: 0, notMet: ['"],"points":[['], worse: [] },
  points: [point(1), point(2)],
  metThen: ['lint'],
  unchanged: 0,
  sameErrors: 0,
}

test('is read as it was written', () => {
  expect(decodeSummary(encodeSummary(summary).body)).toEqual(summary)
  expect(decodeSummary(encodeSummary({ ...summary, points: [] }).body)).toEqual({
    ...summary,
    points: [],
  })
})

test('the text of points is reused only for the same points', () => {
  const first = encodeSummary(summary)
  const later = { ...summary, activeMs: 9 }
  expect(encodeSummary(later, first).body).toBe(encodeSummary(later).body)
  const longer = { ...later, points: [...summary.points, point(3)] }
  expect(decodeSummary(encodeSummary(longer, first).body)).toEqual(longer)
})

test('only what is more than the active time is a change', () => {
  const first = encodeSummary(summary)
  expect(isSameExceptTime(encodeSummary({ ...summary, activeMs: 9 }), first)).toBe(true)
  expect(isSameExceptTime(encodeSummary({ ...summary, unchanged: 1 }), first)).toBe(false)
  expect(isSameExceptTime(encodeSummary({ ...summary, points: [] }), first)).toBe(false)
})

test('rows of earlier versions have points with keys', () => {
  expect(decodeSummary(JSON.stringify(summary))).toEqual(summary)
})
