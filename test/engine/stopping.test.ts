import { describe, expect, test } from 'vitest'
import { applyIdle } from '../../src/engine/index.ts'
import { evolve } from '../../src/loop/index.ts'
import { createWorld, loopOf, until } from './fixture.ts'
import { workingLoop } from './working-loop.ts'

describe('cancelling', () => {
  test('ends a run in the middle of a step, whose signal aborts', async () => {
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

  test('E9: abandons a step that ignores its signal', async () => {
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

  test('E9: ends a run whose code waits for something that is not a step', async () => {
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

  test('is possible before the run was ever driven, and while no process drives it', async () => {
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
  test('waits for the end of the current iteration', async () => {
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
  test('lets the step in flight finish, starts no other, and resuming continues there', async () => {
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

  test('E9: does not prevent a process from shutting down', async () => {
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

  test('of a run that no process drives shows at once, and so does its end', async () => {
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
    const event = { type: 'run-started', owner: 'killed', fence: lease.fence } as const
    const atMs = world.clock.now()
    const state = evolve(await world.state(run), { seq: 2, atMs, event })
    const nothing = { boundary: undefined, blobs: [], trees: [] }
    const unit = { firstSeq: 2, atMs, events: [event], state, ...nothing }
    await world.journal.append(lease, unit)
    await world.journal.release(lease)
    await world.clock.advance(3 * 24 * 3_600_000)
    await world.decide(run, { type: 'pause' })
    expect((await applyIdle(run, world.ports, 'somebody')).activeMs).toBe(0)
  })
})
