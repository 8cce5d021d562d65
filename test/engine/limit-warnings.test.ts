// The limit scenarios of document 001: a limit blocks, a warning comes once, a raised limit takes effect.

import { describe, expect, test } from 'vitest'
import { driveRun } from '../../src/engine/drive-run.ts'
import { applyIdle } from '../../src/engine/index.ts'
import type { LimitWarned } from '../../src/loop/index.ts'
import { createWorld, loopOf, moments, type World, worldAfter } from './fixture.ts'

type RunOf = Parameters<World['state']>[0]

/** Counts its iterations. `at` runs in one of them. */
const counting = (at?: number, act?: () => Promise<unknown>) =>
  loopOf<number>(
    async (_context, it) => {
      await it.step('count', () => undefined, { readOnly: true })
      if (it.number === at) await act?.()
      return it.number
    },
    { until: [] },
  )

const warningsOf = async (world: World, run: RunOf): Promise<readonly LimitWarned[]> =>
  world.only(run, 'limit-warned')

test('a limit of 50 blocks the 51st iteration', async () => {
  const world = createWorld()
  const loop = counting()
  const run = await world.start(loop, { limits: { iterations: 50 } })
  expect(await world.finish(run, loop)).toMatchObject({
    outcome: { type: 'exhausted', limit: 'iterations', condition: 'limits.iterations' },
  })
  expect(await world.only(run, 'iteration-started')).toHaveLength(50)
})

describe('a warning', () => {
  test('comes at 80 of 100, exactly once, with what is used and what is left', async () => {
    const world = createWorld()
    const loop = counting()
    const run = await world.start(loop, { limits: { iterations: 100 } })
    await world.finish(run, loop)
    expect(await warningsOf(world, run)).toEqual([
      {
        type: 'limit-warned',
        limit: 'iterations',
        current: 80,
        max: 100,
        remaining: 20,
        threshold: 0.8,
      },
    ])
    const events = await world.events(run)
    const before = events[events.findIndex(({ event }) => event.type === 'limit-warned') - 1]
    expect(before?.event).toMatchObject({ type: 'iteration-ended', iteration: 80 })
  })

  test('is on disk with the event that makes it due', async () => {
    const world = createWorld()
    const loop = counting()
    const run = await world.start(loop, { limits: { iterations: 10 } })
    const units: string[][] = []
    const { append } = world.journal
    const journal = {
      ...world.journal,
      append: (...args: Parameters<typeof append>) => {
        units.push(args[1].events.map(({ type }) => type))
        return append(...args)
      },
    }
    const ports = { ...world.ports, journal }
    await world.clock.pass(driveRun(run, loop, ports, { owner: 'me' }))
    const unit = units.find((types) => types.includes('limit-warned'))
    expect(unit).toContain('iteration-ended')
  })

  test.each([
    [0.5, 5],
    [0.95, undefined],
  ])('can come at another share: %d', async (warnAt, current) => {
    const world = createWorld()
    const loop = counting()
    const run = await world.start(loop, { limits: { iterations: 10, warnAt } })
    await world.finish(run, loop)
    const warnings = await warningsOf(world, run)
    expect(warnings.map((one) => one.current)).toEqual(current === undefined ? [] : [current])
  })

  test('comes once, whenever the process is killed and the run is resumed', async () => {
    const limits = { iterations: 10, tokens: 1000 }
    const loop = loopOf<number>(
      async (_context, it) => {
        await it.step('spend', ({ spend }) => spend({ tokens: 90, costMicros: 0 }), {
          readOnly: true,
        })
        return it.number
      },
      { until: [] },
    )
    const whole = createWorld()
    const run = await whole.start(loop, { limits })
    await whole.finish(run, loop)
    const events = await whole.events(run)
    const expected = ['iterations', 'tokens']
    expect((await warningsOf(whole, run)).map(({ limit }) => limit).toSorted()).toEqual(expected)
    for (const kept of moments(events.slice(0, -1))) {
      const world = await worldAfter(events, kept)
      await world.finish(run, loop)
      const warned = (await warningsOf(world, run)).map(({ limit }) => limit)
      expect(warned.toSorted()).toEqual(expected)
    }
  })
})

describe('a limit that is raised while the run goes on', () => {
  test('from 100 to 200 at 90 takes effect, is recorded, and warns again at 160', async () => {
    const world = createWorld()
    const loop = counting(90, async () => {
      const limits = { iterations: 200 }
      const decision = { type: 'change-limits', limits, reason: 'almost there' } as const
      await world.decide(run, decision, 'anna')
    })
    const run = await world.start(loop, { limits: { iterations: 100 } })
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'exhausted' } })
    expect((await world.state(run)).iteration).toBe(200)
    expect(await world.only(run, 'decision-applied')).toMatchObject([
      {
        by: 'anna',
        decision: { type: 'change-limits', limits: { iterations: 200 }, reason: 'almost there' },
      },
    ])
    const warnings = await warningsOf(world, run)
    expect(warnings).toMatchObject([
      { limit: 'iterations', current: 80, max: 100, remaining: 20 },
      { limit: 'iterations', current: 160, max: 200, remaining: 40 },
    ])
  })

  test('below what is used ends it at the next decision', async () => {
    const world = createWorld()
    const loop = counting(5, () =>
      world.decide(run, { type: 'change-limits', limits: { iterations: 3 } }),
    )
    const run = await world.start(loop, { limits: { iterations: 100 } })
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { limit: 'iterations' } })
    expect((await world.state(run)).iteration).toBe(5)
  })

  test.each(['paused', 'suspended'] as const)('takes effect while it is %s', async (status) => {
    const world = createWorld()
    const stop = new AbortController()
    const loop = counting(2, async () => {
      if (status === 'paused') await world.decide(run, { type: 'pause' })
      else stop.abort()
    })
    const run = await world.start(loop, { limits: { iterations: 3 } })
    await world.finish(run, loop, { signal: stop.signal })
    expect((await world.state(run)).status).toBe(status)
    await world.decide(run, { type: 'change-limits', limits: { iterations: 5 }, reason: 'more' })
    const state = await applyIdle(run, world.ports, 'somebody')
    expect(state).toMatchObject({ status, limits: { iterations: 5 } })
    await world.decide(run, { type: 'resume' })
    expect(await world.finish(run, counting())).toMatchObject({ outcome: { limit: 'iterations' } })
    expect((await world.state(run)).iteration).toBe(5)
  })

  test('takes effect while it waits for a person', async () => {
    const world = createWorld()
    const loop = loopOf<number>(
      async (_context, it) => {
        await it.ask('q', { text: 'q?', default: 'd', deadlineMs: 60_000 })
        return it.number
      },
      { until: [] },
    )
    const run = await world.start(loop, { limits: { iterations: 1 } })
    const driving = world.drive(run, loop)
    await world.clock.advance(1000)
    expect((await world.state(run)).status).toBe('waiting')
    await world.decide(run, { type: 'change-limits', limits: { iterations: 2 } })
    await world.clock.pass(driving)
    expect((await world.state(run)).iteration).toBe(2)
  })

  test('changes only what is named, also of one agent and of the iteration', async () => {
    const world = createWorld()
    const loop = counting(1, () =>
      world.decide(run, {
        type: 'change-limits',
        limits: {
          iteration: { tokens: 7 },
          agents: { maker: { calls: 9 }, checker: { calls: 1 } },
        },
      }),
    )
    const iteration = { timeMs: 5000, tokens: 6 }
    const agents = { maker: { calls: 2, tokens: 3 } }
    const run = await world.start(loop, { limits: { iterations: 2, iteration, agents } })
    await world.finish(run, loop)
    expect((await world.state(run)).limits).toMatchObject({
      iterations: 2,
      iteration: { timeMs: 5000, tokens: 7 },
      agents: { maker: { calls: 9, tokens: 3 }, checker: { calls: 1 } },
    })
  })
})
