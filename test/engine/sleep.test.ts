import { describe, expect, test } from 'vitest'
import { createWorld, loopOf } from './fixture.ts'

describe('sleep', () => {
  test('keeps its end time after a resume', async () => {
    const world = createWorld()
    const loop = loopOf<null>(async (_context, it) => {
      await it.sleep('nap', 30_000)
      return null
    })
    const stop = new AbortController()
    const run = await world.start(loop)
    const began = world.clock.now()
    const driving = world.drive(run, loop, { signal: stop.signal })
    await world.clock.advance(10_000)
    stop.abort()
    expect((await world.clock.pass(driving)).type).toBe('suspended')
    await world.clock.advance(5000)
    await world.finish(run, loop)
    expect(world.clock.now() - began).toBe(30_000)
  })

  test('that is over when the run is resumed does not start again', async () => {
    const world = createWorld()
    const loop = loopOf<null>(async (_context, it) => {
      await it.sleep('nap', 30_000)
      return null
    })
    const stop = new AbortController()
    const run = await world.start(loop)
    const driving = world.drive(run, loop, { signal: stop.signal })
    await world.clock.settle()
    stop.abort()
    await world.clock.pass(driving)
    await world.clock.advance(100_000)
    const resumed = world.clock.now()
    await world.finish(run, loop)
    expect(world.clock.now()).toBe(resumed)
  })

  test('lasts no longer than the run may wait', async () => {
    const world = createWorld({ waitMsMax: 0 })
    const loop = loopOf<null>(async (_context, it) => {
      await it.sleep('nap', 30_000)
      return null
    })
    const run = await world.start(loop)
    const began = world.clock.now()
    await world.finish(run, loop)
    expect(world.clock.now()).toBe(began)
  })

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('cannot last %s ms', async (ms) => {
    const world = createWorld()
    const loop = loopOf<null>(async (_context, it) => {
      await it.sleep('nap', ms)
      return null
    })
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'failed', fault: { code: 'bad-request' } },
    })
  })
})
