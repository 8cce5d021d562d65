// Limits of one iteration: reaching one ends the iteration with a fault, and the next one starts.

import { describe, expect, test } from 'vitest'
import type { Agents } from '../../src/engine/index.ts'
import type { Amount, Limits } from '../../src/loop/index.ts'
import { createWorld, loopOf, memoryWorkspace, moments, until, worldAfter } from './fixture.ts'

const amount = (tokens: number, costMicros = 0): Amount => ({ tokens, costMicros })

/** The first iteration takes too long; what it wrote stays. */
const slowAtFirst = (world: () => ReturnType<typeof createWorld>, files?: Map<string, string>) =>
  loopOf<number>(
    async (_context, it) => {
      await it.step('work', async ({ signal }) => {
        files?.set(`file${it.number}`, 'begun')
        await world().clock.sleep(it.number === 1 ? 3_600_000 : 1000, signal)
        files?.set(`file${it.number}`, 'done')
      })
      return it.number
    },
    { until: [{ type: 'max-iterations', iterations: 3 }] },
  )

const limited = (iteration: Limits['iteration']): { limits: Partial<Limits> } => ({
  limits: iteration === undefined ? {} : { iteration },
})

describe('the time limit of an iteration', () => {
  test('ends the iteration in the middle of a step, and the next one starts', async () => {
    const workspace = memoryWorkspace({})
    const world = createWorld({ workspace })
    const loop = slowAtFirst(() => world, workspace.files)
    const began = world.clock.now()
    const run = await world.start(loop, { ...limited({ timeMs: 5000 }), workspace: '/memory' })
    expect(await world.finish(run, loop)).toMatchObject({
      type: 'ended',
      outcome: { condition: 'max-iterations' },
    })
    const [first, second] = await world.only(run, 'iteration-ended')
    expect(first?.ending).toMatchObject({
      type: 'error',
      recoverable: true,
      fault: { code: 'iteration-limit', message: 'The iteration reached its time limit of 5 s.' },
    })
    expect(second?.ending).toMatchObject({ type: 'continue' })
    const [failed] = await world.only(run, 'step-failed')
    // As after a failed step: the files are kept and known.
    expect(failed).toMatchObject({ step: 'work#1', fault: { code: 'iteration-limit' } })
    expect(workspace.trees.get(failed?.tree ?? (await workspace.snapshot()))).toEqual([
      ['file1', 'begun'],
    ])
    expect([...workspace.files]).toEqual([
      ['file1', 'begun'],
      ['file2', 'done'],
      ['file3', 'done'],
    ])
    expect(world.clock.now() - began).toBe(7000)
  })

  test('does not count the time in which the run waits for a person', async () => {
    const world = createWorld()
    const loop = loopOf<string>(async (_context, it) => {
      await it.step('work', () => world.clock.sleep(4000))
      const { answer } = await it.ask('q', { text: 'q?', default: 'd', deadlineMs: 60_000 })
      await it.step('more', () => world.clock.sleep(500))
      return answer
    })
    const run = await world.start(loop, limited({ timeMs: 5000 }))
    await world.finish(run, loop)
    expect(await world.state(run)).toMatchObject({ progress: 'd', metrics: { iterationErrors: 0 } })
  })

  test('holds for code that swallows the fault', async () => {
    const world = createWorld()
    const loop = loopOf<string>(async (_context, it) => {
      await it.step('work', () => world.clock.sleep(60_000)).catch(() => undefined)
      await it.step('more', () => 1).catch(() => undefined)
      return 'finished'
    })
    const run = await world.start(loop, limited({ timeMs: 5000 }))
    await world.finish(run, loop)
    const [ended] = await world.only(run, 'iteration-ended')
    expect(ended?.ending).toMatchObject({ type: 'error', fault: { code: 'iteration-limit' } })
    expect((await world.state(run)).progress).toBeUndefined()
  })

  test('three times in a row ends the run as stuck, like any other error', async () => {
    const world = createWorld()
    const loop = loopOf<null>(
      async (_context, it) => {
        await it.step('work', ({ signal }) => world.clock.sleep(60_000, signal))
        return null
      },
      { until: [] },
    )
    const run = await world.start(loop, limited({ timeMs: 5000 }))
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'stuck', condition: 'limits.same-errors' },
    })
  })

  test('can be raised while the iteration runs', async () => {
    const world = createWorld()
    let began = 0
    const loop = loopOf<string>(async (_context, it) => {
      await it.step('work', async ({ signal }) => {
        began++
        await world.clock.sleep(60_000, signal)
      })
      return 'done'
    })
    const run = await world.start(loop, limited({ timeMs: 5000 }))
    const driving = world.drive(run, loop)
    await until(() => began === 1)
    await world.decide(run, { type: 'change-limits', limits: { iteration: { timeMs: 90_000 } } })
    await world.clock.pass(driving)
    expect((await world.state(run)).progress).toBe('done')
  })

  test('does not interrupt an action: its receipt counts', async () => {
    const world = createWorld({
      gate: { judge: async () => ({ type: 'allow' }) },
      actions: {
        perform: async () => {
          await world.clock.sleep(8000)
          return { status: 'done', summary: 'pushed' }
        },
        find: async () => ({ type: 'unknown' }),
      },
    })
    const loop = loopOf<string>(async (_context, it) => {
      const { summary } = await it.act({ kind: 'push', summary: 'push it' })
      return summary
    })
    const run = await world.start(loop, limited({ timeMs: 5000 }))
    await world.finish(run, loop)
    const finished = await world.only(run, 'step-finished')
    expect(finished.find(({ kind }) => kind === 'action')?.result).toEqual({
      value: { status: 'done', summary: 'pushed' },
    })
    const [ended] = await world.only(run, 'iteration-ended')
    expect(ended?.ending).toMatchObject({ type: 'error', fault: { code: 'iteration-limit' } })
  })

  test('an iteration that is continued after a crash keeps the time it had used', async () => {
    const first = createWorld()
    const run = await first.start(
      slowAtFirst(() => first),
      limited({ timeMs: 5000 }),
    )
    await first.finish(
      run,
      slowAtFirst(() => first),
    )
    const events = await first.events(run)
    for (const kept of moments(events.slice(0, -1))) {
      const world = await worldAfter(events, kept)
      const loop = slowAtFirst(() => world)
      expect(await world.finish(run, loop)).toMatchObject({
        outcome: { condition: 'max-iterations' },
      })
      const [ended] = await world.only(run, 'iteration-ended')
      expect(ended?.ending).toMatchObject({ type: 'error', fault: { code: 'iteration-limit' } })
      expect((await world.state(run)).iteration).toBe(3)
    }
  })
})

describe('an amount limit of an iteration', () => {
  test.each<[string, Limits['iteration'], string]>([
    ['tokens', { tokens: 25 }, 'The tokens limit of one iteration would be exceeded'],
    ['cost', { costMicros: 12 }, 'The cost limit of one iteration would be exceeded'],
  ])(
    '%s: refuses a call that does not fit, and the next iteration may spend again',
    async (...row) => {
      const [, limits, message] = row
      const agents: Agents = {
        async work(_role, _task, { reserve }) {
          await (await reserve(amount(10, 5))).settle(amount(10, 5))
          return { status: 'done', text: '', usage: amount(10, 5), turns: 1 }
        },
      }
      const world = createWorld({ agents })
      const loop = loopOf<number>(
        async (_context, it) => {
          const calls = it.number === 1 ? 3 : 2
          for (let call = 0; call < calls; call++)
            await it.agent('maker', { prompt: `${it.number}` })
          return it.number
        },
        { until: [{ type: 'max-iterations', iterations: 2 }] },
      )
      const run = await world.start(loop, limited(limits))
      await world.finish(run, loop)
      const endings = (await world.only(run, 'iteration-ended')).map(({ ending }) => ending)
      expect(endings).toMatchObject([
        { type: 'error', fault: { code: 'iteration-limit' } },
        { type: 'complete' },
      ])
      expect(JSON.stringify(endings[0])).toContain(message)
      expect((await world.state(run)).spent).toEqual(amount(40, 20))
    },
  )
})
