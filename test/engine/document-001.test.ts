// The scenarios of document 001 on exit conditions and checkpoints. Related: keep.test.ts (a failed
// commit is retried, then reported), test/host.test.ts and
// src/formats/parse-checkpoint-file.test.ts (a damaged checkpoint file is refused).

import { expect, test } from 'vitest'
import type { Check } from '../../src/engine/index.ts'
import { createWorld, loopOf, memoryWorkspace, worldAfter } from './fixture.ts'

/** Each iteration writes one more line. */
const growing = (workspace: ReturnType<typeof memoryWorkspace>) =>
  loopOf<number>(
    async (_context, it) => {
      await it.step('write', () => {
        workspace.files.set('log', `${workspace.files.get('log') ?? ''}${it.number}`)
      })
      return it.number
    },
    { until: [{ type: 'checks-pass' }] },
  )

test('with only some conditions met, the loop continues until all are', async () => {
  const workspace = memoryWorkspace({ log: '' })
  const longerThan = (length: number): Check => {
    return async () => {
      const isLong = (workspace.files.get('log') ?? '').length > length
      return { status: isLong ? 'met' : 'not-met', output: '' }
    }
  }
  const checks = { tests: longerThan(0), build: longerThan(1), lint: longerThan(2) }
  const world = createWorld({ workspace, checks })
  const loop = growing(workspace)
  const run = await world.start(loop)
  expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
  const { iteration, evidence } = await world.state(run)
  expect(iteration).toBe(3)
  expect(Object.values(evidence).map(({ status }) => status)).toEqual(['met', 'met', 'met'])
})

test('a verification that times out is not met, and the loop continues', async () => {
  const workspace = memoryWorkspace({ log: '' })
  const slow: Check = Object.assign(
    async () => {
      if (workspace.files.get('log') === '1') await new Promise(() => undefined)
      return { status: 'met' as const, output: '' }
    },
    { timeoutMs: 30_000 },
  )
  const world = createWorld({ workspace, checks: { tests: slow } })
  const loop = growing(workspace)
  const run = await world.start(loop)
  expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
  const finished = await world.only(run, 'step-finished')
  const answers = finished.flatMap(({ evidence }) =>
    evidence === undefined ? [] : [evidence.status],
  )
  expect(answers).toEqual(['timeout', 'met'])
})

test('recovery resumes within the interrupted iteration: at most one is repeated', async () => {
  const trees = new Map()
  const checks: Record<string, Check> = {}
  const first = memoryWorkspace({ log: '' }, trees)
  checks['tests'] = async () => ({
    status: (first.files.get('log') ?? '').length > 3 ? 'met' : 'not-met',
    output: '',
  })
  const whole = createWorld({ workspace: first, checks })
  const run = await whole.start(growing(first))
  await whole.finish(run, growing(first))
  const events = await whole.events(run)
  for (let kept = 1; kept < events.length; kept++) {
    const workspace = memoryWorkspace({ log: '' }, trees)
    const tests: Check = async () => ({
      status: (workspace.files.get('log') ?? '').length > 3 ? 'met' : 'not-met',
      output: '',
    })
    const world = await worldAfter(events, kept, { workspace, checks: { tests } })
    const { iteration: before } = await world.state(run)
    expect(await world.finish(run, growing(workspace))).toMatchObject({
      outcome: { type: 'completed' },
    })
    expect(workspace.files.get('log')).toBe('1234')
    const later = (await world.events(run)).slice(kept)
    const begun = later.flatMap(({ event }) =>
      event.type === 'iteration-started' ? [event.iteration] : [],
    )
    expect(begun.every((iteration) => iteration > before)).toBe(true)
  }
})
