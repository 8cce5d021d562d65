import { describe, expect, test } from 'vitest'
import type { Limits } from '../../src/loop/index.ts'
import { createWorld, loopOf, until } from './fixture.ts'

/** Counts up, spending as it goes, forever. */
const counting = () =>
  loopOf<number>(
    async (previous, it) =>
      it.step('count', ({ spend }) => {
        spend({ tokens: 10, costMicros: 5 })
        return (previous ?? 0) + 1
      }),
    { until: [] },
  )

describe('a run ends by its limits', () => {
  test.each<[string, Partial<Limits>, string, number]>([
    ['iterations', { iterations: 3 }, 'iterations', 3],
    ['none at all', { iterations: 0 }, 'iterations', 0],
    ['tokens', { tokens: 20 }, 'tokens', 2],
    ['cost', { costMicros: 15 }, 'cost', 3],
  ])('%s', async (_name, limits, limit, iterations) => {
    const world = createWorld()
    const loop = counting()
    const run = await world.start(loop, { limits })
    expect(await world.finish(run, loop)).toEqual({
      type: 'ended',
      outcome: { type: 'exhausted', limit, condition: `limits.${limit}` },
    })
    expect((await world.state(run)).iteration).toBe(iterations)
  })

  test.each<[string, (now: number) => Partial<Limits>]>([
    ['time', () => ({ timeMs: 5000 })],
    ['deadline', (now) => ({ deadlineAtMs: now + 5000 })],
  ])('%s, in the middle of a step, which is notified', async (limit, limitsAt) => {
    const world = createWorld()
    let heard = ''
    const loop = loopOf<null>(async (_context, it) =>
      it.step('long', async ({ signal }) => {
        await world.clock.sleep(3_600_000, signal).catch((error: unknown) => {
          heard = String(error)
          throw error
        })
        return null
      }),
    )
    const began = world.clock.now()
    const run = await world.start(loop, { limits: limitsAt(began) })
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'exhausted', limit } })
    expect(heard).toContain('its time limit was reached')
    expect(world.clock.now() - began).toBe(5000)
  })

  test('time spent on a question is not active time, and is not polled for', async () => {
    const world = createWorld()
    const loop = loopOf<string>(async (_context, it) => {
      await it.step('work', () => world.clock.sleep(4999))
      return (await it.ask('q', { text: 'q?', default: 'd', deadlineMs: 60_000 })).answer
    })
    const run = await world.start(loop, { limits: { timeMs: 5000 } })
    const driving = world.drive(run, loop)
    await world.clock.advance(5000)
    const before = world.clock.alarms[0] ?? 0
    expect(before - world.clock.now()).toBeGreaterThanOrEqual(100)
    expect(await world.clock.pass(driving)).toMatchObject({ type: 'ended' })
    expect((await world.state(run)).progress).toBe('d')
  })

  test('that are changed while it runs', async () => {
    const world = createWorld()
    let began = 0
    const loop = loopOf<null>(async (_context, it) =>
      it.step('long', async ({ signal }) => {
        began++
        await world.clock.sleep(60_000, signal)
        return null
      }),
    )
    const run = await world.start(loop, { limits: { timeMs: 5000 } })
    const driving = world.drive(run, loop)
    await until(() => began === 1)
    await world.decide(run, { type: 'change-limits', limits: { timeMs: 90_000 } })
    expect(await world.clock.pass(driving)).toMatchObject({ outcome: { limit: 'iterations' } })
  })

  test.each([
    { iterations: -1 },
    { tokens: 1.5 },
    { costMicros: Number.NaN },
    { timeMs: Number.POSITIVE_INFINITY },
  ])('which must be whole numbers: %j is refused', async (limits) => {
    const world = createWorld()
    const loop = loopOf<number>(async () => 1)
    await expect(world.start(loop, { limits })).rejects.toMatchObject({ code: 'bad-request' })
  })
})
