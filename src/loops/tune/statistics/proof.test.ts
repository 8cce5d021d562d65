import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideProof, planProof } from './proof.ts'
import { randomFrom } from './random.ts'
import type { SuiteScores } from './scores.ts'

const suite = (cases: number, scoresOf: (at: number) => readonly number[]): SuiteScores =>
  Array.from({ length: cases }, (_, at) => ({ id: `case-${at}`, scores: scoresOf(at) }))

const passing = (cases: number, count: number, repeats = 3): SuiteScores =>
  suite(cases, (at) => Array(repeats).fill(at < count ? 1 : 0))

describe('the runs of a proof', () => {
  const ids = Array.from({ length: 40 }, (_, at) => `case-${at}`)
  const runs = planProof(ids, 3, randomFrom(5))

  test('are every case, side and repeat once', () => {
    const named = runs.map(({ id, side, repeat }) => `${id} ${side} ${repeat}`)
    expect(new Set(named).size).toBe(40 * 2 * 3)
    expect(named).toHaveLength(40 * 2 * 3)
  })

  test('are interleaved: at no time is one side ahead by more than one run', () => {
    let ahead = 0
    for (const { side } of runs) {
      ahead += side === 'before' ? 1 : -1
      expect(Math.abs(ahead)).toBeLessThanOrEqual(1)
    }
  })

  test('start with either side', () => {
    const first = runs.filter((_run, at) => at % 2 === 0).filter(({ side }) => side === 'before')
    expect(first.length).toBeGreaterThan(40)
    expect(first.length).toBeLessThan(80)
  })
})

describe('a proof', () => {
  const decide = (
    before: SuiteScores,
    after: SuiteScores,
    attempt = 1,
  ): ReturnType<typeof decideProof> => decideProof({ cases: 50, before, after, attempt })

  test('says improved or regressed with an interval that excludes 0', () => {
    const [up, down] = [
      decide(passing(50, 20), passing(50, 25)),
      decide(passing(50, 25), passing(50, 20)),
    ]
    expect(up).toMatchObject({ verdict: 'improved', estimate: { delta: 0.1 } })
    expect(down).toMatchObject({ verdict: 'regressed', estimate: { delta: -0.1 } })
    expect(up.type === 'claim' && up.interval.low > 0).toBe(true)
    expect(down.type === 'claim' && down.interval.high < 0).toBe(true)
    expect(up.type === 'claim' && up.confidence).toBeCloseTo(0.96)
  })

  test('that is inconclusive says what would decide it', () => {
    const decision = decide(passing(50, 20), passing(50, 21))
    expect(decision).toMatchObject({ verdict: 'inconclusive' })
    const toDecide = decision.type === 'claim' ? decision.toDecide : undefined
    expect(toDecide?.visibleGain).toBeGreaterThan(0.02)
    expect(toDecide?.repeats).toBeGreaterThan(3)
    // With that many repeats of the same scores it is decided.
    const repeats = toDecide?.repeats ?? 0
    const again = decide(passing(50, 20, repeats), passing(50, 21, repeats))
    expect(again).toMatchObject({ verdict: 'improved' })
  })

  test('without a difference names no number of repeats: none would decide it', () => {
    const decision = decide(passing(50, 20), passing(50, 20))
    expect(decision).toMatchObject({ verdict: 'inconclusive', estimate: { delta: 0 } })
    expect(decision.type === 'claim' && decision.toDecide?.repeats).toBeUndefined()
  })

  test('makes no claim from single runs, or from too few cases', () => {
    expect(decide(passing(50, 0, 1), passing(50, 50, 1))).toEqual({
      type: 'no-claim',
      reason: 'single-repeat',
      cases: 0,
      needed: 30,
    })
    expect(decide(passing(29, 0), passing(29, 29))).toEqual({
      type: 'no-claim',
      reason: 'too-few-scores',
      cases: 29,
      needed: 30,
    })
    expect(decide([], [])).toMatchObject({ type: 'no-claim', cases: 0 })
  })

  test('needs more each time it is repeated', () => {
    const low = (attempt: number): number => {
      const decision = decide(passing(50, 20), passing(50, 25), attempt)
      return decision.type === 'claim' ? decision.interval.low : 1
    }
    expect(low(2)).toBeLessThan(low(1))
    expect(low(3)).toBeLessThan(low(2))
  })

  test('is the same when it is read from a journal', () => {
    const list = fc.array(fc.array(fc.constantFrom(0, 0.25, 1), { maxLength: 3 }), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(list, list, (before, after) => {
        const decision = decideProof({
          cases: 20,
          before: suite(before.length, (at) => before[at] ?? []),
          after: suite(after.length, (at) => after[at] ?? []),
          attempt: 1,
        })
        expect(JSON.parse(JSON.stringify(decision))).toEqual(decision)
      }),
    )
  })
})
