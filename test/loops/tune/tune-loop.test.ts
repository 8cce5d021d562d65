// The protocol of `tune`, with a workload in memory.

import { describe, expect, test } from 'vitest'
import type { LogEntry } from '../../../src/loops/tune/report/log-entry.ts'
import type { TuneState } from '../../../src/loops/tune/tune-state.ts'
import { moments, stepResults } from '../../engine/fixture.ts'
import { createTuneStory, easy, type FakeWorkload, playTune } from './fixture.ts'

const typesOf = (log: readonly LogEntry[]): readonly string[] => log.map(({ type }) => type)
const repeatsIn = (from: number) => (one: { readonly repeat?: number }) =>
  (one.repeat ?? 0) > from && (one.repeat ?? 0) < from + 10_000

describe('a workload that a knob can improve', () => {
  test('is calibrated, measured, changed, proven, and the change is requested as an action', async () => {
    const { outcome, state, acted, tasks, world, run } = await playTune(easy)
    expect(outcome).toEqual({ type: 'completed', condition: 'converged' })
    if (state.phase !== 'ended') throw new Error(state.phase)
    expect(state).toMatchObject({
      exit: 'converged',
      applied: 'applied',
      proof: { type: 'claim', verdict: 'improved', estimate: { delta: 1 } },
      baseline: { passing: [] },
    })
    expect(acted).toEqual([
      {
        kind: 'edit-artifacts',
        summary: 'Change rules.txt of fake (improved)',
        details: { files: [{ path: 'rules.txt', from: 'x=1\ny=off\n', to: 'x=3\ny=on\n' }] },
      },
    ])
    // Fresh runs for the baseline and the proof; what is measured in between may be reused.
    const fresh = tasks.filter(({ reuse }) => reuse === false)
    expect(fresh.some(repeatsIn(20_000)) && fresh.some(repeatsIn(40_000))).toBe(true)
    expect(
      tasks
        .filter((one) => repeatsIn(20_000)(one) || repeatsIn(40_000)(one))
        .every(({ reuse }) => reuse === false),
    ).toBe(true)
    expect(tasks.filter(repeatsIn(10_000)).every(({ reuse }) => reuse)).toBe(true)
    const documents = (await world.only(run, 'step-finished')).filter(
      ({ role }) => role === 'document',
    )
    expect(documents.map(({ step }) => step)).toEqual(['LOOP_LOG.md#1', 'LOOP.md#1'])
    expect(JSON.stringify(documents[1]?.result)).toContain('Improved on this suite: +100.0 pt')
  })

  test('has a log in which each prediction comes before its measurement, and the next run measures the edit', async () => {
    const { state, events } = await playTune(easy)
    expect(typesOf(state.log)).toEqual([
      'session-started',
      'calibration-passed',
      'hypothesis',
      'experiment',
      'critique',
      'insight',
      'insight',
      'hypothesis',
      'experiment',
      'composer-analysis',
      'decision',
      'edit-applied',
      'edit-applied',
      'edit-applied',
      'iteration-complete',
      'hypothesis',
      'experiment',
      'critique',
      'iteration-result',
      'metrics',
      'iteration-complete',
      ...Array.from({ length: 11 }, () => 'insight'),
    ])
    const logged = events.flatMap(({ event }) =>
      event.type === 'step-finished' &&
      event.role === 'loop-log' &&
      event.result !== undefined &&
      'value' in event.result
        ? (event.result.value as unknown as readonly LogEntry[])
        : [],
    )
    expect(logged).toEqual(state.log)
    const result = state.log.find(({ type }) => type === 'iteration-result')
    expect(result).toMatchObject({ iteration: 2, hypothesis: 'confirmed', regressed: [] })
  })

  test('no command sees another case, and the workload never sees what is expected', async () => {
    const { tasks } = await playTune(easy)
    for (const { files = {}, without = [], env = {}, output } of tasks) {
      const others = Object.keys(files).filter((path) => path.startsWith('cases/'))
      expect(others).toEqual([`cases/${env['LOOP_NAME']}`])
      expect(without).toEqual(expect.arrayContaining(easy.cases.map((id) => `cases/${id}`)))
      const given = output === undefined ? [] : Object.keys(files)
      expect(given).not.toContain(env['LOOP_OUTPUT'])
    }
  })

  test('E2. after a kill at any moment it ends in the same way, and no finished command runs again', async () => {
    const { state, events } = await playTune(easy)
    const all = moments(events)
    const some = all.filter((_count, at) => at > 0 && at % Math.ceil(all.length / 6) === 0)
    for (const count of some) {
      const again = await createTuneStory(easy, {}, { events, count }).story
      const [first] = events
      if (first === undefined) throw new Error('no events')
      await again.world.finish(first.run, again.loop)
      const { progress } = await again.world.state(first.run)
      expect(progress).toEqual(state)
      const known = stepResults(events.slice(0, count))
      const finished = [...known.keys()].filter((step) => /[ /]command:/.test(step)).length
      const everything = events.filter(
        ({ event }) => event.type === 'step-finished' && event.kind === 'command',
      ).length
      expect(again.tasks).toHaveLength(everything - finished)
    }
  }, 60_000)
})

describe('infrastructure', () => {
  test('a run that could not be measured counts neither as passed nor as failed', async () => {
    const { state } = await playTune({
      ...easy,
      run: (rules, id, repeat) =>
        id === 'a' && repeat > 20_000 && repeat < 30_000
          ? { ended: 'unavailable', problem: 'no sandbox' }
          : easy.run(rules, id, repeat),
    })
    const critique = state.log.find(({ type }) => type === 'experiment')
    expect(critique).toMatchObject({
      infrastructure: ['2 runs were not scored: runCommand: no sandbox'],
    })
    if (state.phase !== 'ended') throw new Error(state.phase)
    expect(state.baseline.scores.find(({ id }) => id === 'cases/a')).toEqual({
      id: 'cases/a',
      scores: [],
    })
  })

  test.each<[string, FakeWorkload['judge'], string]>([
    ['prints nothing', () => '', 'it printed nothing'],
    ['prints no JSON', () => 'fine!', 'it printed no JSON'],
    ['prints JSON without a verdict', () => '{"ok": 1}', 'neither "pass"'],
    ['prints a score outside of the range', () => '{"score": 3}', 'score'],
    ['hangs', () => ({ ended: 'timeout', problem: 'it took too long' }), 'it took too long'],
    ['is not installed', () => ({ exitCode: 127 }), 'was not found'],
    ['could not start', () => ({ ended: 'unavailable', problem: 'no disk' }), 'no disk'],
  ])('a judge that %s stops the calibration with the reason', async (_what, judge, reason) => {
    const { outcome, state } = await playTune({ ...easy, ...(judge && { judge }) })
    expect(outcome).toMatchObject({ type: 'stuck', condition: 'calibration' })
    expect(state).toMatchObject({ phase: 'aborted', reason: expect.stringContaining(reason) })
    expect(state.log).toMatchObject([
      { type: 'session-started' },
      { type: 'calibration-failed', failure: { at: 'evaluateCommand' } },
      { type: 'block', text: expect.stringContaining(reason) },
    ])
  })

  test.each<[string, ReturnType<FakeWorkload['run']>, string]>([
    ['ends with an error', { exitCode: 1, stderr: 'boom' }, 'boom'],
    ['takes too long', { ended: 'timeout', problem: 'it took too long' }, 'it took too long'],
    ['writes nothing', {}, 'it wrote nothing to out/a'],
  ])('a workload that %s stops the calibration with the reason', async (_what, made, reason) => {
    const { state } = await playTune({ ...easy, run: () => made })
    expect(state).toMatchObject({ phase: 'aborted', reason: expect.stringContaining(reason) })
  })
})

describe('a person', () => {
  async function answering(answers: Readonly<Record<string, string>>) {
    const asks = { pick: 'ask', apply: 'ask' } as const
    const { world, loop, input, acted } = await createTuneStory(easy, asks, undefined, {
      waitMsMax: 0,
    }).story
    const run = await world.start(loop, { input: input as never })
    for (const [question, answer] of Object.entries(answers)) {
      await world.decide(run, { type: 'answer', question, answer })
    }
    await world.finish(run, loop)
    return { acted, state: (await world.state(run)).progress as unknown as TuneState }
  }

  test('begins, picks one option, and what was picked is measured', async () => {
    const { state } = await answering({
      '3/ask:baseline#1': 'begin',
      '4/ask:pick 1#1': '1.2',
      '5/ask:pick 2#1': 'stop',
    })
    if (state.phase !== 'ended') throw new Error(state.phase)
    expect(state.trail[0]?.decision).toEqual({ type: 'picked', option: '1.2', by: 'person' })
    expect(state.trail[1]?.measured?.options.map(({ option }) => option.id)).toEqual(['1.2'])
    expect(state.exit).toBe('stopped')
  })

  test('can stop after the baseline: nothing was changed', async () => {
    const { state, acted } = await answering({ '3/ask:baseline#1': 'stop' })
    expect(state).toMatchObject({ phase: 'ended', exit: 'stopped', applied: 'nothing' })
    expect(acted).toEqual([])
  })
})

test('a case that got worse is logged, even if the policy accepts it', async () => {
  const cases = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const { state } = await playTune({
    rules: 'x=1\ny=off\n',
    cases,
    // Only the first case is good at first, and only that one breaks.
    run: (rules, id) => ((id === 'a') === rules.includes('x=1') ? 'good' : 'bad'),
    manifest: { maxIterations: 1 },
  })
  expect(state.log).toContainEqual({
    type: 'regression-detected',
    iteration: 2,
    cases: ['cases/a (broken)'],
    answer: 'accept tradeoff and continue',
  })
})

test('nothing that was kept by chance is applied where the policy wants a proof', async () => {
  const { state, acted } = await playTune(
    {
      ...easy,
      run: (_rules, id, repeat) =>
        repeat > 10_000 && repeat < 20_000 && id < 'd' ? 'good' : 'bad',
    },
    { apply: 'proven' },
  )
  if (state.phase !== 'ended') throw new Error(state.phase)
  expect(state.proof).toMatchObject({ verdict: 'inconclusive' })
  expect(state.applied).toBe('nothing')
  expect(acted).toEqual([])
})
