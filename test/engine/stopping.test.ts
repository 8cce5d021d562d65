import { describe, expect, test } from 'vitest'
import { applyIdle } from '../../src/engine/index.ts'
import { createWorld, deferred, loopOf, until } from './fixture.ts'

/** Work that ends when it is told to, or when the test lets it. */
function workingLoop(listens = true) {
  const work = { began: 0, aborted: 0, done: deferred() }
  const loop = loopOf<number>(
    async (_context, it) => {
      await it.step('work', async ({ signal }) => {
        work.began++
        signal.addEventListener('abort', () => work.aborted++, { once: true })
        if (!listens) return work.done.promise
        return Promise.race([
          work.done.promise,
          new Promise<void>((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason), { once: true })
          }),
        ])
      })
      return it.step('next', () => it.number)
    },
    { until: [{ type: 'max-iterations', iterations: 2 }] },
  )
  return { loop, work }
}

describe('cancelling', () => {
  test('ends a run in the middle of a step, which hears of it', async () => {
    const world = createWorld()
    const { loop, work } = workingLoop()
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await until(() => work.began === 1)
    await world.decide(run, { type: 'cancel', reason: 'wrong branch' })
    expect(await world.clock.pass(driving)).toEqual({
      type: 'ended',
      outcome: { type: 'cancelled', by: 'ada', reason: 'wrong branch' },
    })
    expect(work.aborted).toBe(1)
    expect(await world.only(run, 'step-interrupted')).toHaveLength(1)
    expect((await world.state(run)).iteration).toBe(0)
  })

  test('E9: gives a step up that does not listen', async () => {
    const world = createWorld()
    const { loop, work } = workingLoop(false)
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await until(() => work.began === 1)
    await world.decide(run, { type: 'cancel', reason: '' })
    const end = await world.clock.pass(driving)
    expect(end).toMatchObject({ outcome: { type: 'cancelled' } })
    work.done.resolve()
    await world.clock.settle()
    const types = (await world.events(run)).map(({ event }) => event.type)
    expect(types.at(-1)).toBe('run-ended')
  })

  test('E9: ends a run whose code waits for something that is no step', async () => {
    const world = createWorld()
    const loop = loopOf<null>(async (_context, it) => {
      await it.step('one', () => 1)
      return new Promise<null>(() => undefined)
    })
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await world.clock.settle()
    await world.decide(run, { type: 'cancel', reason: '' })
    expect(await world.clock.pass(driving)).toMatchObject({ outcome: { type: 'cancelled' } })
  })

  test('is possible before anybody has driven the run, and while nobody does', async () => {
    const world = createWorld()
    const { loop } = workingLoop()
    const run = await world.start(loop)
    await world.decide(run, { type: 'cancel', reason: 'never mind' })
    const state = await applyIdle(run, world.ports, 'somebody')
    expect(state.outcome).toEqual({ type: 'cancelled', by: 'ada', reason: 'never mind' })
    expect(await world.drive(run, loop)).toMatchObject({ type: 'ended', outcome: state.outcome })
  })

  test('is refused once the run has ended', async () => {
    const world = createWorld()
    const loop = loopOf<number>(async () => 1)
    const run = await world.start(loop)
    await world.finish(run, loop)
    await expect(world.decide(run, { type: 'cancel', reason: '' })).rejects.toMatchObject({
      code: 'wrong-status',
    })
  })
})

describe('stopping', () => {
  test('waits for the end of the iteration under way', async () => {
    const world = createWorld()
    const { loop, work } = workingLoop()
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await until(() => work.began === 1)
    await world.decide(run, { type: 'stop', reason: 'enough' })
    await world.clock.settle()
    work.done.resolve()
    expect(await world.clock.pass(driving)).toEqual({
      type: 'ended',
      outcome: { type: 'stopped', by: 'ada', reason: 'enough' },
    })
    expect((await world.state(run)).iteration).toBe(1)
  })
})

describe('pausing', () => {
  test('lets the step in flight finish, starts no other, and resuming goes on there', async () => {
    const world = createWorld()
    const { loop, work } = workingLoop()
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await until(() => work.began === 1)
    await world.decide(run, { type: 'pause' })
    await world.clock.settle()
    expect(work.aborted).toBe(0)
    work.done.resolve()
    expect(await world.clock.pass(driving)).toEqual({ type: 'suspended', reason: 'paused' })
    expect(await world.state(run)).toMatchObject({ status: 'paused', iteration: 0 })
    expect(await world.finish(run, loop)).toEqual({ type: 'suspended', reason: 'paused' })
    await world.decide(run, { type: 'resume' })
    expect((await world.finish(run, loop)).type).toBe('ended')
    expect(work.began).toBe(2)
    expect(await world.only(run, 'step-finished')).toHaveLength(4)
  })

  test('E9: does not keep a process from being shut down', async () => {
    const world = createWorld()
    const { loop, work } = workingLoop()
    const stop = new AbortController()
    const run = await world.start(loop)
    const driving = world.drive(run, loop, { signal: stop.signal, graceMs: 1000 })
    await until(() => work.began === 1)
    await world.decide(run, { type: 'pause' })
    await world.clock.settle()
    stop.abort()
    await world.clock.advance(1000)
    expect(work.aborted).toBe(1)
    expect((await world.clock.pass(driving)).type).toBe('suspended')
    expect((await world.state(run)).status).toBe('paused')
  })

  test('of a run that nobody drives shows at once, and so does its end', async () => {
    const world = createWorld()
    const { loop } = workingLoop()
    const run = await world.start(loop)
    await world.decide(run, { type: 'pause' })
    await applyIdle(run, world.ports, 'somebody')
    expect((await world.journal.findRun(run)).status).toBe('paused')
    await world.decide(run, { type: 'resume' })
    await applyIdle(run, world.ports, 'somebody')
    expect((await world.journal.findRun(run)).status).toBe('suspended')
  })

  test('of a run whose process was killed does not count the time since then as work', async () => {
    const world = createWorld()
    const { loop } = workingLoop()
    const run = await world.start(loop)
    const lease = await world.journal.acquire(run, 'killed')
    const { state } = { state: await world.state(run) }
    const events = [{ type: 'run-started', owner: 'killed', fence: lease.fence } as const]
    const running = { ...state, status: 'running' as const, seq: 2 }
    const nothing = { boundary: undefined, blobs: [], trees: [] }
    const unit = { firstSeq: 2, atMs: world.clock.now(), events, state: running, ...nothing }
    await world.journal.append(lease, unit)
    await world.journal.release(lease)
    await world.clock.advance(3 * 24 * 3_600_000)
    await world.decide(run, { type: 'pause' })
    expect((await applyIdle(run, world.ports, 'somebody')).activeMs).toBe(0)
  })
})

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

  test('gives up code that does not listen, and nothing it does later is kept', async () => {
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

  test('before it began leaves the run as it is', async () => {
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

test('a loop that swallows its interruption has no result all the same', async () => {
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
