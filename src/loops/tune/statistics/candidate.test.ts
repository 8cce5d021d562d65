import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesForLook, claimOfIteration, decideCandidate, type Look } from './candidate.ts'
import type { SuiteScores } from './scores.ts'

const looks: readonly Look[] = ['first-third', 'second-third', 'first-pass', 'second-pass']

const suite = (cases: number, scoresOf: (at: number) => readonly number[]): SuiteScores =>
  Array.from({ length: cases }, (_, at) => ({ id: `case-${at}`, scores: scoresOf(at) }))

const half = suite(30, (at) => (at % 2 === 0 ? [1, 1, 1] : [0, 0, 0]))
const worse = (repeats: number): SuiteScores => suite(30, () => Array(repeats).fill(0))
const better = (repeats: number): SuiteScores => suite(30, () => Array(repeats).fill(1))

describe('the looks', () => {
  test('the first three are one pass over all cases, each once; the last is another', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 60 }), (order) => {
        const [first = [], second = [], rest = [], again = []] = looks.map((look) =>
          casesForLook(order, look),
        )
        expect([...first, ...second, ...rest]).toEqual(order)
        expect(again).toEqual(order)
      }),
    )
  })

  test('whatever the scores, a candidate is kept or dropped after four looks at most', () => {
    const scores = fc.array(fc.array(fc.constantFrom(0, 0.5, 1), { maxLength: 3 }), {
      minLength: 30,
      maxLength: 30,
    })
    fc.assert(
      fc.property(scores, (lists) => {
        const after = suite(30, (at) => lists[at] ?? [])
        let look: Look = 'first-third'
        for (let count = 0; count < looks.length; count++) {
          const decision = decideCandidate(look, { cases: 30, before: half, after })
          expect(JSON.parse(JSON.stringify(decision))).toEqual(decision)
          if (decision.type !== 'measure') return
          look = decision.look
        }
        expect.fail('it is still measured')
      }),
    )
  })
})

describe('a candidate', () => {
  test('that is clearly worse is dropped after a third', () => {
    const after = worse(1).slice(0, 10)
    const decision = decideCandidate('first-third', { cases: 30, before: half, after })
    expect(decision).toMatchObject({ type: 'drop', reason: 'clearly-worse' })
    expect(decision.estimate).toMatchObject({ delta: -0.5, cases: 10 })
  })

  test('that is better is measured twice before it is kept', () => {
    const decide = (look: Look): unknown =>
      decideCandidate(look, { cases: 30, before: half, after: better(2) })
    expect(looks.map(decide)).toMatchObject([
      { type: 'measure', look: 'second-third' },
      { type: 'measure', look: 'first-pass' },
      { type: 'measure', look: 'second-pass' },
      { type: 'keep', estimate: { delta: 0.5 } },
    ])
  })

  test('that changes nothing is dropped, after two passes', () => {
    const scores = { cases: 30, before: half, after: half }
    expect(decideCandidate('first-pass', scores).type).toBe('measure')
    expect(decideCandidate('second-pass', scores)).toMatchObject({
      type: 'drop',
      reason: 'no-gain',
    })
  })

  test('with few scores is dropped for that reason, whatever the scores are', () => {
    const after = better(2).slice(0, 17)
    const decision = decideCandidate('second-pass', { cases: 30, before: half, after })
    expect(decision).toMatchObject({ type: 'drop', reason: 'too-few-scores' })
    const none = decideCandidate('first-pass', { cases: 30, before: half, after: [] })
    expect(none).toEqual({ type: 'drop', reason: 'too-few-scores' })
  })

  test('that the machine failed in its first third is measured on', () => {
    const decision = decideCandidate('first-third', { cases: 30, before: half, after: [] })
    expect(decision).toEqual({ type: 'measure', look: 'second-third' })
  })
})

describe('the claim of an iteration', () => {
  const of = { iteration: 1, options: 1 }

  test('needs two repeats on both sides', () => {
    const [once, twice] = [1, 2].map((repeats) =>
      claimOfIteration({ cases: 30, before: half, after: better(repeats) }, of),
    )
    expect(once).toBeUndefined()
    expect(twice).toMatchObject({ verdict: 'improved' })
    const single = suite(30, () => [0])
    expect(claimOfIteration({ cases: 30, before: single, after: better(2) }, of)).toBeUndefined()
  })

  test('is harder for later iterations and for raced options', () => {
    const before = suite(30, (at) => (at < 10 ? [0, 1, 0] : [0, 0, 0]))
    const after = suite(30, (at) => (at < 10 ? [1, 1] : [0, 0]))
    const interval = (iteration: number, options: number): number =>
      claimOfIteration({ cases: 30, before, after }, { iteration, options })?.interval.low ?? 1
    expect(interval(21, 1)).toBeLessThan(interval(20, 1))
    expect(interval(1, 3)).toBeLessThan(interval(1, 1))
  })
})
