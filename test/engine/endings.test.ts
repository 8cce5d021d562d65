import { describe, expect, test } from 'vitest'
import type { AnyLoopType } from '../../src/engine/index.ts'
import {
  type Condition,
  FaultError,
  isEnd,
  type Limits,
  type Outcome,
} from '../../src/loop/index.ts'
import { createWorld, loopOf, until } from './fixture.ts'

const failing = (message: (iteration: number) => string) =>
  loopOf<number>(
    async (_context, it) =>
      it.step('fail', () => {
        throw new Error(message(it.number))
      }),
    { until: [] },
  )

/** What a bug in somebody's code does. */
function bug(): never {
  throw new TypeError('undefined is not a function')
}

describe('an error in an iteration', () => {
  test('that is a failure of the world goes on to the next one', async () => {
    const world = createWorld()
    const loop = loopOf<number>(
      async (previous, it) => {
        if (it.number === 1) await it.step('fail', () => Promise.reject(new Error('no luck')))
        return it.step('count', () => (previous ?? 0) + 10)
      },
      { until: [{ type: 'max-iterations', iterations: 2 }] },
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    const [first] = await world.only(run, 'iteration-ended')
    expect(first?.ending).toMatchObject({ type: 'error', recoverable: true })
    expect((await world.state(run)).progress).toBe(10)
  })

  test('that comes three times ends the run as stuck, though the numbers in it differ', async () => {
    const world = createWorld()
    const loop = failing((n) => `assertion ${n} of ${n * 7} failed`)
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toEqual({
      type: 'ended',
      outcome: {
        type: 'stuck',
        condition: 'limits.same-errors',
        detail: '3 times in a row: step-failed: assertion <n> of <n> failed',
      },
    })
  })

  test('that is another each time does not', async () => {
    const world = createWorld()
    const words = ['one', 'two', 'three', 'four', 'five']
    const loop = failing((n) => `${words[n]} broke`)
    const run = await world.start(loop, { limits: { iterations: 4 } })
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { limit: 'iterations' } })
  })

  test('that is a bug in the code of the loop fails the run with its stack', async () => {
    const world = createWorld()
    const loop = loopOf<null>(async (_context, it) => {
      await it.step('one', () => 1)
      return bug()
    })
    const run = await world.start(loop)
    const end = await world.finish(run, loop)
    expect(end).toMatchObject({ outcome: { type: 'failed', fault: { code: 'bug', fatal: true } } })
    expect(JSON.stringify(end)).toContain('TypeError: undefined is not a function')
    expect(JSON.stringify(end)).toContain('endings.test.ts')
  })

  test.each<[string, Partial<AnyLoopType>]>([
    ['createContext', { createContext: () => bug() }],
    ['extractProgress', { extractProgress: () => bug() }],
    [
      'a condition',
      {
        until: [{ type: 'custom', name: 'broken', met: () => bug() }],
      },
    ],
  ])('that is a bug in %s fails the run', async (_name, part) => {
    const world = createWorld()
    const loop = { ...loopOf<number>(async () => 1), ...part }
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'failed', fault: { code: 'bug' } },
    })
  })

  test('that its author calls fatal fails the run', async () => {
    const world = createWorld()
    const fault = { code: 'no-licence', message: 'buy one', retryable: false, fatal: true }
    const loop = loopOf<null>(async (_context, it) =>
      it.step('fail', () => {
        throw new FaultError(fault)
      }),
    )
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toEqual({
      type: 'ended',
      outcome: { type: 'failed', fault },
    })
  })

  test('progress that cannot be stored fails the run with the path', async () => {
    const world = createWorld()
    const loop = loopOf<object>(async () => ({ list: [new Date(0)] }))
    const run = await world.start(loop)
    const end = await world.finish(run, loop)
    expect(JSON.stringify(end)).toContain("The loop's progress: $.list[0] cannot be stored")
  })
})

/** Counts up, spending as it goes; fails in every iteration from the given one. */
const counting = (condition: Condition<number, number>, failsFrom = 99) =>
  loopOf<number>(
    async (previous, it) => {
      if (it.number >= failsFrom) await it.step('fail', () => Promise.reject(new Error('no')))
      return it.step('count', ({ spend }) => {
        spend({ tokens: 10, costMicros: 5 })
        return Math.min(3, (previous ?? 0) + 1)
      })
    },
    { until: [condition] },
  )

describe('a run ends by its own conditions', () => {
  test.each<[string, Condition<number, number>, Outcome, number]>([
    [
      'custom',
      { type: 'custom', name: 'two', met: (progress) => progress === 2 },
      { type: 'completed', condition: 'two' },
      2,
    ],
    [
      'max-iterations',
      { type: 'max-iterations', iterations: 4 },
      { type: 'exhausted', limit: 'iterations', condition: 'max-iterations' },
      4,
    ],
    [
      'no-progress',
      { type: 'no-progress', iterations: 2 },
      { type: 'stuck', condition: 'no-progress', detail: 'nothing changed for 2 iterations' },
      5,
    ],
    [
      'budget',
      { type: 'budget', tokens: 30 },
      { type: 'exhausted', limit: 'tokens', condition: 'budget.tokens' },
      3,
    ],
    [
      'deadline',
      { type: 'deadline', atMs: 0 },
      { type: 'exhausted', limit: 'deadline', condition: 'deadline' },
      1,
    ],
    [
      'all',
      {
        type: 'all',
        of: [
          { type: 'max-iterations', iterations: 3 },
          { type: 'custom', name: 'one', met: (progress) => progress >= 1 },
        ],
      },
      { type: 'completed', condition: 'all(max-iterations, one)' },
      3,
    ],
  ])('%s', async (_name, condition, outcome, iterations) => {
    const world = createWorld()
    const loop = counting(condition)
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toEqual({ type: 'ended', outcome })
    expect((await world.state(run)).iteration).toBe(iterations)
  })

  test('same-error, before the limit that always holds', async () => {
    const world = createWorld()
    const loop = counting({ type: 'same-error', times: 2 }, 3)
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'stuck', condition: 'same-error' },
    })
    expect((await world.state(run)).iteration).toBe(4)
  })
})

describe('a run ends by its limits', () => {
  test.each<[string, Partial<Limits>, string, number]>([
    ['iterations', { iterations: 3 }, 'iterations', 3],
    ['none at all', { iterations: 0 }, 'iterations', 0],
    ['tokens', { tokens: 20 }, 'tokens', 2],
    ['cost', { costMicros: 15 }, 'cost', 3],
  ])('%s', async (_name, limits, limit, iterations) => {
    const world = createWorld()
    const loop = counting({ type: 'custom', name: 'never', met: () => false })
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
  ])('%s, in the middle of a step, which hears of it', async (limit, limitsAt) => {
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
    expect(heard).toContain('its time is over')
    expect(world.clock.now() - began).toBe(5000)
  })

  test('time that a question takes is not time at work, and is not polled for', async () => {
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

test('every run ends once: its last event is its outcome, its row says so, and nothing follows', async () => {
  const world = createWorld()
  const loops = [
    counting({ type: 'custom', name: 'two', met: (progress) => progress === 2 }),
    counting({ type: 'max-iterations', iterations: 1 }),
    failing(() => 'no'),
    loopOf<null>(async () => {
      throw new Error('bug')
    }),
  ]
  for (const loop of loops) {
    const run = await world.start(loop)
    const end = await world.finish(run, loop)
    expect(await world.finish(run, loop)).toEqual(end)
    const events = await world.events(run)
    expect(events.filter(({ event }) => event.type === 'run-ended')).toHaveLength(1)
    expect(events.at(-1)?.event.type).toBe('run-ended')
    const { status } = await world.journal.findRun(run)
    expect(isEnd(status)).toBe(true)
    expect(end).toMatchObject({ outcome: { type: status } })
  }
})
