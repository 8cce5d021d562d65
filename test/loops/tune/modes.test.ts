// The modes of a tuning loop: what an iteration may do in each of them.

import { describe, expect, test } from 'vitest'
import type { TuneSettings } from '../../../src/loops/tune/tune-session.ts'
import type { TuneState } from '../../../src/loops/tune/tune-state.ts'
import { createTuneStory, easy, type FakeWorkload } from './fixture.ts'

async function play(workload: FakeWorkload, settings: Partial<TuneSettings>, input: object = {}) {
  const {
    world,
    loop,
    input: given,
  } = await createTuneStory(workload, settings, undefined, { waitMsMax: 0 }, input).story
  const run = await world.start(loop, { input: given as never })
  await world.finish(run, loop)
  const state = (await world.state(run)).progress as unknown as TuneState
  if (state.phase !== 'ended') throw new Error(JSON.stringify(state).slice(0, 500))
  return state
}

const turnedIn = (state: TuneState): readonly number[] =>
  state.log.flatMap((entry) =>
    entry.type === 'composer-analysis' ? entry.options.map(({ edits }) => edits.length) : [],
  )

describe('precision', () => {
  test('each option turns one knob; exploration turns several', async () => {
    const precise = turnedIn(await play(easy, { mode: 'precision' }))
    expect(precise.length).toBeGreaterThan(2)
    expect(new Set(precise)).toEqual(new Set([1]))
    expect(Math.max(...turnedIn(await play(easy, { mode: 'exploration' })))).toBe(2)
  })

  /** x=3 fixes seven cases and breaks one. */
  const breaking: FakeWorkload = {
    rules: 'x=1\ny=off\n',
    cases: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
    run: (rules, id) => ((id === 'a') === rules.includes('x=1') ? 'good' : 'bad'),
    manifest: { maxIterations: 1 },
  }

  test('the policy drops a change that breaks a case, and shows it as a regression', async () => {
    const state = await play(breaking, { mode: 'precision' })
    expect(state.incumbent.version).toEqual(state.workload.original)
    expect(state.log).toContainEqual({
      type: 'regression-detected',
      iteration: 2,
      cases: ['cases/a (broken)'],
      answer: 'try different hypothesis next',
    })
    const results = state.trail.flatMap(({ measured }) => measured?.options ?? [])
    expect(results.map(({ result }) => result)).toContainEqual(
      expect.objectContaining({ type: 'dropped', reason: 'regression' }),
    )
    expect(state.trail[1]?.measured?.flips.regressed).toEqual(['cases/a'])
    expect(state.applied).toBe('nothing')
  })

  test('exploration keeps it: the net gain counts', async () => {
    const state = await play(breaking, { mode: 'exploration' })
    expect(state.incumbent.passing).toHaveLength(7)
  })

  test('a person decides it in every mode', async () => {
    const answers = { path: 'a', text: 'regression: accept tradeoff and continue\n' }
    const state = await play(breaking, { mode: 'precision' }, { answers })
    expect(state.incumbent.passing).toHaveLength(7)
  })
})

test('convergence is done when the target set has no failure', async () => {
  const plan = {
    path: 'LOOP_PLAN.md',
    text: '# Loop plan\n\n## Hypotheses\n\n1. x is wrong.\n   - Prediction: a passes.\n\n## Focus cases\n\n- cases/a\n- cases/b\n',
  }
  const workload: FakeWorkload = {
    ...easy,
    run: (rules, id) => (rules.includes('x=2') && 'abc'.includes(id) ? 'good' : 'bad'),
  }
  const state = await play(workload, { mode: 'convergence' }, { plan })
  expect(state.exit).toBe('converged')
  expect(state.incumbent.passing.toSorted()).toEqual(['cases/a', 'cases/b', 'cases/c'])
  expect((await play(workload, { mode: 'precision' }, { plan })).exit).not.toBe('converged')
})

test('a custom mode is blended from the words of the user', async () => {
  const one = await play(easy, { mode: 'custom' }, { framing: 'Isolate one variable.' })
  expect(new Set(turnedIn(one))).toEqual(new Set([1]))
  const many = await play(easy, { mode: 'custom' }, { framing: 'Bold rewrites.' })
  expect(Math.max(...turnedIn(many))).toBe(2)
})
