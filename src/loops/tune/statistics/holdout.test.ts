import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideHoldout, mayOpenHoldout, splitCases } from './holdout.ts'
import { decideProof } from './proof.ts'
import { randomFrom } from './random.ts'
import type { SuiteScores } from './scores.ts'

const passing = (cases: number, count: number, repeats = 3): SuiteScores =>
  Array.from({ length: cases }, (_, at) => ({
    id: `case-${at}`,
    scores: Array(repeats).fill(at < count ? 1 : 0),
  }))

test('each case is in the suite or in the holdout, by chance', () => {
  const ids = fc.uniqueArray(fc.string(), { maxLength: 80 })
  fc.assert(
    fc.property(ids, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (cases, seed, share) => {
      const { suite, holdout } = splitCases(cases, share, randomFrom(seed))
      expect(holdout).toHaveLength(Math.round(cases.length * share))
      expect([...suite, ...holdout].toSorted()).toEqual(cases.toSorted())
    }),
  )
  const cases = Array.from({ length: 50 }, (_, at) => String(at))
  expect(splitCases(cases, 0.3, randomFrom(1))).not.toEqual(splitCases(cases, 0.3, randomFrom(2)))
})

test('the holdout is opened only after a proof of an improvement', () => {
  const prove = (count: number): ReturnType<typeof decideProof> =>
    decideProof({ cases: 50, before: passing(50, 20), after: passing(50, count), attempt: 1 })
  expect([30, 20, 10].map((count) => mayOpenHoldout(prove(count)))).toEqual([true, false, false])
  expect(mayOpenHoldout({ type: 'no-claim', reason: 'single-repeat', cases: 0, needed: 1 })).toBe(
    false,
  )
})

describe('the holdout', () => {
  test('of fewer than 20 cases makes no claim, however clear it looks', () => {
    expect(decideHoldout({ cases: 19, before: passing(19, 0), after: passing(19, 19) })).toEqual({
      type: 'no-claim',
      reason: 'too-few-cases',
      cases: 19,
      needed: 20,
    })
  })

  test('of which fewer than 20 cases were scored makes none either', () => {
    const decision = decideHoldout({ cases: 25, before: passing(19, 0), after: passing(19, 19) })
    expect(decision).toMatchObject({ type: 'no-claim', reason: 'too-few-scores', cases: 19 })
  })

  test('counts cases, not repeats', () => {
    const decide = (repeats: number): unknown => {
      const [before, after] = [passing(30, 10, repeats), passing(30, 12, repeats)]
      const decision = decideHoldout({ cases: 30, before, after })
      return decision.type === 'claim' ? decision.verdict : decision.reason
    }
    expect([2, 10, 200].map(decide)).toEqual(['inconclusive', 'inconclusive', 'inconclusive'])
  })

  test('says improved, regressed, or how many cases would decide', () => {
    const decide = (count: number): ReturnType<typeof decideHoldout> =>
      decideHoldout({ cases: 40, before: passing(40, 15), after: passing(40, count) })
    expect(decide(24)).toMatchObject({ verdict: 'improved' })
    expect(decide(5)).toMatchObject({ verdict: 'regressed' })
    const unclear = decide(17)
    expect(unclear).toMatchObject({ verdict: 'inconclusive' })
    expect(unclear.type === 'claim' && unclear.casesToDecide).toBeGreaterThan(40)
    expect(decide(15)).not.toHaveProperty('casesToDecide')
  })
})
