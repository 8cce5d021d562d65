import { describe, expect, test } from 'vitest'
import { FaultError, type StepOptions } from '../../src/loop/index.ts'
import { createWorld, loopOf, until, type World, worldAfter } from './fixture.ts'

const transient = (message = 'reset'): Error =>
  Object.assign(new Error(message), { code: 'ECONNRESET' })

/** A step whose first attempts fail; records when it ran. */
function flaky(
  world: () => World,
  failures: number,
  error: () => Error,
  options: StepOptions = {},
) {
  const ranAt: number[] = []
  const loop = loopOf<string>(async (_context, it) =>
    it.step(
      'flaky',
      ({ attempt }) => {
        ranAt.push(world().clock.now())
        if (ranAt.length <= failures) throw error()
        return `worked at attempt ${attempt}`
      },
      options,
    ),
  )
  return { loop, ranAt }
}

describe('a step that failed', () => {
  test('is retried after growing delays if its fault is retryable, and this is journaled', async () => {
    const world = createWorld()
    const { loop, ranAt } = flaky(() => world, 2, transient)
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe('worked at attempt 3')
    // Three quarters of 500 and 1000 ms, because the random value is one half.
    const [first = 0] = ranAt
    expect(ranAt.map((at) => at - first)).toEqual([0, 375, 1125])
    const failed = await world.only(run, 'step-failed')
    expect(failed.map(({ attempt, retryAtMs }) => [attempt, (retryAtMs ?? 0) - first])).toEqual([
      [1, 375],
      [2, 1125],
    ])
    expect((await world.state(run)).metrics).toMatchObject({ retries: 2, stepsFailed: 0, steps: 1 })
  })

  test('is given up after its limit, and the fault is thrown to the loop', async () => {
    const world = createWorld()
    const { loop, ranAt } = flaky(() => world, 99, transient, { retry: { attempts: 4 } })
    const run = await world.start(loop, { limits: { iterations: 1 } })
    await world.finish(run, loop)
    expect(ranAt).toHaveLength(4)
    const failed = await world.only(run, 'step-failed')
    expect(failed.map((event) => event.retryAtMs === undefined)).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  test('is not retried if its fault is permanent', async () => {
    const world = createWorld()
    const { loop, ranAt } = flaky(
      () => world,
      99,
      () => new Error('wrong argument'),
    )
    const run = await world.start(loop, { limits: { iterations: 1 } })
    await world.finish(run, loop)
    expect(ranAt).toHaveLength(1)
  })

  test('can be caught by the loop, with its fault, and the catch replays after a resume', async () => {
    const world = createWorld()
    const stop = new AbortController()
    let ran = 0
    const loop = loopOf<string>(async (_context, it) => {
      const caught = await it
        .step('fail', () => {
          ran++
          throw new FaultError({ code: 'conflict', message: 'in a.ts', retryable: false })
        })
        .catch((error: unknown) => error)
      await it.step('stop', () => stop.abort())
      const { fault } = caught instanceof FaultError ? caught : { fault: undefined }
      return it.step('answer', () => `${fault?.code} ${fault?.message}`)
    })
    const run = await world.start(loop)
    await world.finish(run, loop, { signal: stop.signal })
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe('conflict in a.ts')
    expect(ran).toBe(1)
  })

  test('E2: has as many attempts left after a kill as the journal says, at every moment', async () => {
    const world = createWorld()
    const first = flaky(() => world, 2, transient)
    const run = await world.start(first.loop)
    await world.finish(run, first.loop)
    const events = await world.events(run)
    for (let count = 1; count < events.length; count++) {
      const past = events.slice(0, count)
      const failed = past.filter(({ event }) => event.type === 'step-failed').length
      const later = await worldAfter(events, count)
      const again = flaky(() => later, 2 - failed, transient)
      await later.finish(run, again.loop)
      expect((await later.state(run)).outcome?.type).toBe('exhausted')
      expect((await later.state(run)).progress).toMatch('worked')
    }
  })

  test('waits until the moment that was journaled when it is resumed in between', async () => {
    const world = createWorld()
    const stop = new AbortController()
    const { loop, ranAt } = flaky(() => world, 1, transient, { retry: { firstDelayMs: 10_000 } })
    const run = await world.start(loop)
    const driving = world.drive(run, loop, { signal: stop.signal })
    await until(() => ranAt.length === 1)
    await world.clock.advance(1000)
    stop.abort()
    expect(await world.clock.pass(driving)).toEqual({ type: 'suspended', reason: 'shut down' })
    await world.finish(run, loop)
    const [first = 0, second = 0] = ranAt
    expect(second - first).toBe(7500)
  })
})

describe('the time limit of a step', () => {
  test('aborts code that listens to its signal, and the fault is retryable', async () => {
    const world = createWorld()
    const reasons: unknown[] = []
    const loop = loopOf<string>(async (_context, it) =>
      it.step(
        'slow',
        async ({ signal, attempt }) => {
          if (attempt === 2) return 'quick'
          return world.clock.sleep(60_000, signal).then(
            () => 'slow',
            (error: unknown) => {
              reasons.push(error)
              throw error
            },
          )
        },
        { timeoutMs: 1000 },
      ),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe('quick')
    expect(String(reasons[0])).toContain('longer than 1000 ms')
    const [failed] = await world.only(run, 'step-failed')
    expect(failed?.fault).toMatchObject({ code: 'timeout', retryable: true })
  })

  test('also applies to code that ignores its signal', async () => {
    const world = createWorld()
    const loop = loopOf<string>(async (_context, it) =>
      it
        .step('deaf', () => new Promise<string>(() => undefined), {
          timeoutMs: 1000,
          retry: { attempts: 1 },
        })
        .catch((error: unknown) => String(error)),
    )
    const run = await world.start(loop)
    const began = world.clock.now()
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toContain('longer than 1000 ms')
    const [failed] = (await world.events(run)).filter(({ event }) => event.type === 'step-failed')
    // It had a moment to react before it was abandoned.
    expect((failed?.atMs ?? 0) - began).toBe(3000)
  })

  test('discards a late result', async () => {
    const world = createWorld()
    const loop = loopOf<string>(async (_context, it) =>
      it
        .step('late', () => world.clock.sleep(1500).then(() => 'late'), {
          timeoutMs: 1000,
          retry: { attempts: 1 },
        })
        .catch(() => 'too late'),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe('too late')
  })

  test('does not affect a quick step, and leaves no timer behind', async () => {
    const world = createWorld()
    const loop = loopOf<number>(async (_context, it) =>
      it.step('quick', () => 1, { timeoutMs: 50 }),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe(1)
    expect(world.clock.alarms).toEqual([])
  })
})
