// What a page can show of a tuning loop: one value, complete at every moment.

import { expect, test } from 'vitest'
import type { RunId } from '../../../src/loop/index.ts'
import type { OperationParts } from '../../../src/loops/loop-operation.ts'
import { readTuning } from '../../../src/loops/tune/view/operations.ts'
import { renderView } from '../../../src/loops/tune/view/render-view.ts'
import { toView } from '../../../src/loops/tune/view/to-view.ts'
import { type TuneView, tuneViewSchema } from '../../../src/protocol/index.ts'
import { moments } from '../../engine/fixture.ts'
import { createTuneStory, easy, type FakeWorkload } from './fixture.ts'

async function viewed(
  workload: FakeWorkload,
  settings: Parameters<typeof createTuneStory>[1] = {},
): Promise<{ readonly view: TuneView; readonly moments: readonly TuneView[] }> {
  const { world, loop, input } = await createTuneStory(workload, settings).story
  const run = await world.start(loop, { input: input as never })
  await world.finish(run, loop)
  const events = await world.events(run)
  const isNoted = (count: number): boolean => {
    const last = events[count - 1]?.event
    return last?.type === 'step-finished' && (last.role === 'loop-log' || last.role === 'intent')
  }
  const views: TuneView[] = []
  for (const count of moments(events).filter(isNoted)) {
    const { world: part } = await createTuneStory(workload, settings, { events, count }).story
    views.push(await viewOf(part, run))
  }
  return { view: await viewOf(world, run), moments: views }
}

async function viewOf(world: OperationParts, run: RunId): Promise<TuneView> {
  const found = { id: run, name: 'story', state: {} as never }
  return toView({ run: 'story', ...(await readTuning(world, found)) })
}

test('it has the best version with its interval, the cases, the trail and the proof', async () => {
  const { view } = await viewed(easy)
  expect(tuneViewSchema.parse(view)).toEqual(view)
  expect(view).toMatchObject({
    phase: 'ended',
    mode: 'exploration',
    exit: 'converged',
    applied: 'applied',
    workload: { id: 'fake', cases: { suite: 6, sealed: 0, excluded: 0 } },
    best: { iteration: 2, passing: { passing: 6, of: 6 }, mean: 1, label: 'improved' },
    holdout: { status: 'none' },
    proof: { verdict: 'improved', gain: { delta: 1 } },
  })
  expect(view.history.map(({ iteration, passing }) => [iteration, passing.passing])).toEqual([
    [0, 0],
    [1, 0],
    [2, 6],
  ])
  const { gain } = view.best ?? {}
  if (gain === undefined) throw new Error('a gain without an interval')
  expect(gain.low).toBeGreaterThan(0)
  expect(gain.low).toBeLessThan(gain.delta)
  expect(view.matrix.iterations).toEqual([2])
  expect(view.matrix.cases.map(({ flips, baseline, now }) => [flips, baseline, now])).toEqual(
    easy.cases.map(() => [['fixed'], 'failing', 'passing']),
  )
  const [, second] = view.hypotheses
  expect(second).toMatchObject({ outcome: 'confirmed' })
  expect(second?.cases).toHaveLength(6)
  expect(second?.cases.every(({ flip }) => flip === 'fixed')).toBe(true)
})

test('options are diffs, with what was decided about them and what came of it', async () => {
  const { view } = await viewed(easy)
  const [round] = view.rounds
  expect(round?.options).toHaveLength(3)
  expect(round?.decision).toMatchObject({ by: 'policy' })
  const kept = round?.options.find(({ result }) => result?.type === 'kept')
  expect(kept?.diff).toContain('--- rules.txt\n+++ rules.txt\n@@ x @@\n-x=1\n+x=3')
  expect(round?.options.some(({ result }) => result?.type === 'dropped')).toBe(true)
})

test('a case that breaks is a regression in the matrix, and stays one', async () => {
  const { view } = await viewed({
    rules: 'x=1\ny=off\n',
    cases: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
    run: (rules, id) => ((id === 'a') === rules.includes('x=1') ? 'good' : 'bad'),
    manifest: { maxIterations: 1 },
  })
  const [first] = view.matrix.cases
  expect(first).toMatchObject({ id: 'cases/a', flips: ['regressed'], now: 'failing' })
})

test('it can be read at every moment, and shows the options before they are decided', async () => {
  const { moments: views } = await viewed(easy)
  expect(views.length).toBeGreaterThan(5)
  for (const view of views) {
    expect(tuneViewSchema.parse(view)).toEqual(view)
    expect(renderView(view)).toContain('story')
  }
  expect(new Set(views.map(({ phase }) => phase)).size).toBeGreaterThan(3)
  expect(views.some(({ rounds }) => rounds.at(-1)?.decision === undefined)).toBe(true)
  const undecided = views.find(({ rounds }) => rounds.length > 0)
  expect(undecided?.rounds[0]).not.toHaveProperty('decision')
})
