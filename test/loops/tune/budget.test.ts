// What a tuning loop costs, and how it ends when the budget does.

import { expect, test } from 'vitest'
import { easy, type FakeWorkload, playTune } from './fixture.ts'

/** A dollar for each run of a case; some cases never pass, so only the budget ends it. */
const endless: FakeWorkload = {
  ...easy,
  run: (rules, id, repeat) => (id === 'f' ? 'bad' : easy.run(rules, id, repeat)),
  rules: 'x=1\ny=off\nz=5\n',
  manifest: {
    costPerCase: 1,
    maxIterations: 50,
    knobs: {
      x: { type: 'choice', text: 'x={value}\n', values: ['1', '2', '3'] },
      y: { type: 'toggle', text: 'y={value}\n', on: 'on', off: 'off' },
      z: { type: 'number', text: 'z={value}\n', min: 0, max: 100, step: 1 },
    },
  },
}

const dollars = (count: number) => ({ costMicros: count * 1_000_000 })

test('every run of a case is charged, and no judge is', async () => {
  const { spent, tasks } = await playTune(
    { ...easy, manifest: { costPerCase: 1 } },
    {},
    {},
    dollars(1000),
  )
  const runs = tasks.filter(({ output }) => output !== undefined)
  expect(spent.costMicros).toBe(runs.length * 1_000_000)
  expect(runs.length).toBeLessThan(tasks.length)
})

test('the cycle ends while the budget still pays for the proof, and what was kept is kept', async () => {
  const { state, spent, outcome, debrief } = await playTune(
    endless,
    { search: { passes: 2 } },
    {},
    dollars(120),
  )
  expect(outcome).toEqual({ type: 'completed', condition: 'budget' })
  if (state.phase !== 'ended') throw new Error(state.phase)
  expect(state).toMatchObject({
    exit: 'budget',
    applied: 'applied',
    proof: { verdict: 'improved' },
  })
  expect(spent.costMicros).toBeLessThanOrEqual(120_000_000)
  expect(debrief).toContain('Ended after')
})

test('a budget that does not even pay for the baseline ends the run, with its limit as the reason', async () => {
  const { outcome, acted, spent } = await playTune(endless, {}, {}, dollars(5))
  expect(outcome).toMatchObject({ type: 'exhausted' })
  expect(acted).toEqual([])
  expect(spent.costMicros).toBeLessThanOrEqual(5_000_000)
})
