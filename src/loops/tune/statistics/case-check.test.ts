import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CaseCheck, checkCase, findSuspects, probabilityOfWorse } from './case-check.ts'
import type { NoiseFloor } from './noise-floor.ts'

const noise: NoiseFloor = {
  cases: 50,
  mean: 0.6,
  within: 0.075,
  dispersion: 1,
  passDeviation: 0.05,
  flaky: [],
}

/** Runs the check to its end with scores that are the same each time. */
function runCheck(before: readonly number[], after: readonly number[], next: readonly number[]) {
  let check: CaseCheck = { id: 'case', before, after, reruns: 0 }
  let reruns = 0
  for (;;) {
    const decision = checkCase(check, noise)
    if (decision.type === 'done') return { ...decision, reruns }
    const score = next[reruns % next.length] ?? 0
    check = {
      ...check,
      [decision.side]: [...check[decision.side], decision.side === 'before' ? 1 : score],
      reruns: ++reruns,
    }
  }
}

describe('a suspect', () => {
  test('that goes on failing is broken', () => {
    expect(runCheck([1, 1, 1], [0, 0], [0])).toMatchObject({ label: 'broken' })
  })

  test('that passes again is cleared', () => {
    expect(runCheck([1, 1, 1], [1, 0], [1])).toMatchObject({ label: 'cleared' })
  })

  test('that does now this and now that stays suspect, after 12 reruns', () => {
    const { label, reruns } = runCheck([1, 1, 1], [0, 1], [0, 1, 1, 1])
    expect({ label, reruns }).toEqual({ label: 'suspect', reruns: 12 })
  })

  test('never costs more than 12 runs, and is read from a journal as it was', () => {
    const bits = fc.array(fc.constantFrom(0, 0.5, 1), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(bits, bits, bits, (before, after, next) => {
        expect(runCheck(before, after, next).reruns).toBeLessThanOrEqual(12)
        const decision = checkCase({ id: 'a', before, after, reruns: 3 }, noise)
        expect(JSON.parse(JSON.stringify(decision))).toEqual(decision)
      }),
    )
  })

  test('whose runs all end without a score ends too', () => {
    const check = { id: 'case', before: [1, 1], after: [0], reruns: 12 }
    expect(checkCase(check, noise)).toMatchObject({ type: 'done', label: 'suspect' })
  })
})

describe('the probability that a case got worse', () => {
  const counts = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }))
  const scores = (passed: number, runs: number): number[] =>
    Array.from({ length: runs }, (_, at) => (at < passed ? 1 : 0))

  test('is 0 without a drop, and below 1', () => {
    fc.assert(
      fc.property(counts, fc.nat(8), fc.nat(8), ([n, r], a, b) => {
        const [before, after] = [scores(Math.min(a, n), n), scores(Math.min(b, r), r)]
        const found = probabilityOfWorse(before, after, noise)
        const isDrop = Math.min(b, r) / r < Math.min(a, n) / n
        expect(found > 0).toBe(isDrop)
        expect(found).toBeLessThan(1)
      }),
    )
  })

  test('falls with each run that passes, and grows with each that fails', () => {
    const one = probabilityOfWorse([1, 1, 1], [0, 0], noise)
    expect(probabilityOfWorse([1, 1, 1], [0, 0, 1], noise)).toBeLessThan(one)
    expect(probabilityOfWorse([1, 1, 1], [0, 0, 0], noise)).toBeGreaterThan(one)
    expect(probabilityOfWorse([1, 1, 1, 1], [0, 0], noise)).toBeGreaterThan(one)
  })

  test('a small but steady drop of a graded score is seen, and not that of pass and fail', () => {
    const graded = { ...noise, within: 0.0005, dispersion: 0.01 }
    const [before, after] = [
      [0.9, 0.9, 0.9],
      [0.7, 0.7, 0.7],
    ]
    expect(probabilityOfWorse(before, after, graded)).toBeGreaterThan(0.95)
    expect(probabilityOfWorse(before, after, noise)).toBeLessThan(0.1)
  })

  test('no score of any size leads to something that is not a number', () => {
    const many = Array(500).fill(1)
    const found = probabilityOfWorse(many, Array(500).fill(0), { ...noise, dispersion: 0.01 })
    expect(found).toBe(1)
  })
})

test('suspects are cases that fell, whatever the order of the cases', () => {
  const before = ['a', 'b', 'c'].map((id) => ({ id, scores: [1, 1, 1] }))
  const after = [
    { id: 'c', scores: [0, 0] },
    { id: 'a', scores: [1, 1] },
    { id: 'b', scores: [] },
  ]
  expect(findSuspects(before, after, noise)).toEqual([
    { id: 'c', before: [1, 1, 1], after: [0, 0], reruns: 0 },
  ])
})
