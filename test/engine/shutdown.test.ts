import { describe, expect, test } from 'vitest'
import { createWorld, loopOf, until } from './fixture.ts'
import { workingLoop } from './working-loop.ts'

describe('shutting a process down', () => {
  test('lets the step in flight finish within the grace time and leaves a run to resume', async () => {
    const world = createWorld()
    const { loop, work } = workingLoop()
    const stop = new AbortController()
    const run = await world.start(loop)
    const driving = world.drive(run, loop, { signal: stop.signal, graceMs: 1000 })
    await until(() => work.began === 1)
    stop.abort()
    await world.clock.advance(999)
    expect(work.aborted).toBe(0)
    work.done.resolve()
    expect(await world.clock.pass(driving)).toEqual({ type: 'suspended', reason: 'shut down' })
    expect(await world.only(run, 'step-finished')).toHaveLength(1)
    await world.finish(run, loop)
    expect(work.began).toBe(2)
  })

  test('E2: aborts the step after the grace time; it runs again on resume', async () => {
    const world = createWorld()
    const { loop, work } = workingLoop()
    const stop = new AbortController()
    const run = await world.start(loop)
    const driving = world.drive(run, loop, { signal: stop.signal, graceMs: 1000 })
    await until(() => work.began === 1)
    stop.abort()
    await world.clock.advance(1000)
    expect(work.aborted).toBe(1)
    expect((await world.clock.pass(driving)).type).toBe('suspended')
    const state = await world.state(run)
    expect(state).toMatchObject({ status: 'suspended', iteration: 0 })
    expect(state.metrics.interruptions).toBe(1)
    work.done.resolve()
    expect((await world.finish(run, loop)).type).toBe('ended')
    const [first, second] = await world.only(run, 'step-started')
    expect([first?.attempt, second?.attempt]).toEqual([1, 2])
  })

  test('abandons code that ignores its signal, and nothing it does later is recorded', async () => {
    const world = createWorld()
    const { loop, work } = workingLoop(false)
    const stop = new AbortController()
    const run = await world.start(loop)
    const driving = world.drive(run, loop, { signal: stop.signal, graceMs: 1000 })
    await until(() => work.began === 1)
    stop.abort()
    expect((await world.clock.pass(driving)).type).toBe('suspended')
    const { length } = await world.events(run)
    work.done.resolve()
    await world.clock.settle()
    expect(await world.events(run)).toHaveLength(length)
  })

  test('is not a crash, however often it happens to one step', async () => {
    const world = createWorld()
    const { loop, work } = workingLoop()
    const run = await world.start(loop)
    for (let time = 1; time <= 30; time++) {
      const stop = new AbortController()
      const driving = world.drive(run, loop, { signal: stop.signal, graceMs: 0 })
      await until(() => work.began === time)
      stop.abort()
      expect((await world.clock.pass(driving)).type).toBe('suspended')
    }
    work.done.resolve()
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'exhausted' } })
  })

  test('before it began leaves the run unchanged', async () => {
    const world = createWorld()
    const { loop, work } = workingLoop()
    const run = await world.start(loop)
    const end = await world.finish(run, loop, { signal: AbortSignal.abort() })
    expect(end).toEqual({ type: 'suspended', reason: 'shut down' })
    expect(work.began).toBe(0)
  })

  test('leaves no timer behind', async () => {
    const world = createWorld()
    const { loop, work } = workingLoop()
    const stop = new AbortController()
    const run = await world.start(loop)
    const driving = world.drive(run, loop, { signal: stop.signal })
    await until(() => work.began === 1)
    stop.abort()
    work.done.resolve()
    await world.clock.pass(driving)
    expect(world.clock.alarms).toEqual([])
  })
})

test('a loop that swallows its interruption still has no result', async () => {
  const world = createWorld()
  const stop = new AbortController()
  const loop = loopOf<string>(async (_context, it) => {
    await it.step('stop', () => stop.abort())
    return it.step('next', () => 'made').catch(() => 'swallowed')
  })
  const run = await world.start(loop)
  const end = await world.finish(run, loop, { signal: stop.signal })
  expect(end.type).toBe('suspended')
  await world.finish(run, loop)
  expect((await world.state(run)).progress).toBe('made')
})
