// The sealed cases of a tuning loop: no command sees them before the proof, they are opened once, and only after it.

import { describe, expect, test } from 'vitest'
import { casesOf, openSeal, requireUnsealed } from '../../../src/loops/tune/measure/holdout-seal.ts'
import type { ProofDecision } from '../../../src/loops/tune/statistics/proof.ts'
import { type FakeWorkload, playTune } from './fixture.ts'

const named = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `c${String(at).padStart(2, '0')}`)

/** Half of its cases are sealed. */
const sealedHalf = (count: number, more: Partial<FakeWorkload> = {}): FakeWorkload => ({
  rules: 'x=1\ny=off\n',
  cases: named(count),
  run: (rules) => (rules.includes('x=3') && rules.includes('y=on') ? 'good' : 'bad'),
  ...more,
  manifest: { split: { holdout: 0.5 }, repeats: { baseline: 2, proof: 2 } },
})

const isHoldoutRun = ({ repeat = 0 }: { readonly repeat?: number }): boolean => repeat > 70_000

describe('the holdout', () => {
  test('runs once, on both sides, after the proof said "improved", and the gain generalises', async () => {
    const { state, tasks } = await playTune(sealedHalf(44))
    if (state.phase !== 'ended') throw new Error(state.phase)
    expect(state.holdout).toMatchObject({ type: 'claim', verdict: 'improved' })
    const sealed = new Set(state.workload.split.holdout)
    const isSealed = ({ env = {} }: (typeof tasks)[number]): boolean =>
      sealed.has(`cases/${env['LOOP_NAME']}`)
    expect(tasks.filter(isSealed).every(isHoldoutRun)).toBe(true)
    expect(tasks.filter(isHoldoutRun).every(isSealed)).toBe(true)
    // Three repeats on both sides, each with a run and a judge.
    expect(tasks.filter(isHoldoutRun)).toHaveLength(22 * 3 * 2 * 2)
    expect(tasks.filter(isHoldoutRun).every(({ reuse }) => reuse === false)).toBe(true)
    // The last thing that is measured.
    expect(tasks.slice(tasks.findIndex(isHoldoutRun)).every(isHoldoutRun)).toBe(true)
    expect(JSON.stringify(state.log)).toContain('Generalises: yes. +100.0 pt on 22 sealed cases')
  })

  test('of fewer than 20 cases makes no claim and says so', async () => {
    const { state, debrief } = await playTune(sealedHalf(24))
    if (state.phase !== 'ended') throw new Error(state.phase)
    expect(state.holdout).toMatchObject({ type: 'no-claim', reason: 'too-few-cases', seen: 1 })
    expect(debrief).toContain('Generalises: no claim. 12 sealed cases are too few, 20 are needed.')
  })

  test('stays sealed if the proof does not say "improved"', async () => {
    const { state, tasks } = await playTune(
      sealedHalf(44, {
        // What is measured in between is lucky, as a composer that overfits would be.
        run: (_rules, _id, repeat) => (repeat > 10_000 && repeat < 20_000 ? 'good' : 'bad'),
      }),
    )
    if (state.phase !== 'ended') throw new Error(state.phase)
    expect(state.proof).toMatchObject({ verdict: 'inconclusive' })
    expect(state.holdout).toEqual({ type: 'sealed', cases: 22, reason: 'not-proven' })
    expect(tasks.filter(isHoldoutRun)).toEqual([])
  })

  test('does not generalise where only the cases of the suite got better', async () => {
    const sealed = await playTune(sealedHalf(44))
    if (sealed.state.phase !== 'ended') throw new Error(sealed.state.phase)
    const known = new Set(sealed.state.workload.split.suite)
    const { state } = await playTune(
      sealedHalf(44, {
        run: (rules, id) => (rules.includes('x=3') && known.has(`cases/${id}`) ? 'good' : 'bad'),
      }),
    )
    if (state.phase !== 'ended') throw new Error(state.phase)
    expect(state.proof).toMatchObject({ verdict: 'improved' })
    expect(state.holdout).toMatchObject({ type: 'claim', verdict: 'inconclusive' })
  })
})

describe('the seal', () => {
  const one = { id: 'a', label: '1-a', name: 'a', path: 'a', output: 'out/a' }
  const workload = { cases: [one], split: { suite: [], holdout: ['a'] } } as never
  const proofOf = (verdict: 'improved' | 'inconclusive'): ProofDecision =>
    ({ type: 'claim', verdict }) as ProofDecision

  test('opens only for a proof that says "improved"', () => {
    expect(openSeal(workload, proofOf('inconclusive'))).toBeUndefined()
    expect(() => requireUnsealed(workload, one)).toThrow('a is sealed')
    const seal = openSeal(workload, proofOf('improved'))
    if (seal === undefined) throw new Error('It stayed sealed.')
    expect(casesOf(seal)).toEqual([one])
    expect(() => requireUnsealed(workload, one, seal)).not.toThrow()
  })

  test('is not opened by data that looks like a permit', () => {
    const forged = JSON.parse(JSON.stringify({ opened: [one] })) as never
    expect(() => requireUnsealed(workload, one, forged)).toThrow('a is sealed')
  })
})
