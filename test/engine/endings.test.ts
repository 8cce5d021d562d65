import { describe, expect, test } from 'vitest'
import type { AnyLoopType } from '../../src/engine/index.ts'
import { type Condition, FaultError, isEnd, type Outcome } from '../../src/loop/index.ts'
import { createWorld, loopOf } from './fixture.ts'

const failing = (message: (iteration: number) => string) =>
  loopOf<number>(
    async (_context, it) =>
      it.step('fail', () => {
        throw new Error(message(it.number))
      }),
    { until: [] },
  )

/** What a bug in a user's code does. */
function bug(): never {
  throw new TypeError('undefined is not a function')
}

describe('an error in an iteration', () => {
  test('that is an external failure continues with the next one', async () => {
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

  test('that occurs three times ends the run as stuck, even if the numbers in it differ', async () => {
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

  test('that differs each time does not', async () => {
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

  test('that its author marks fatal fails the run', async () => {
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
    expect(JSON.stringify(end)).toContain(
      "The loop's progress is not serializable: $.list[0] cannot be stored",
    )
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

  test('same-error, before the built-in limit', async () => {
    const world = createWorld()
    const loop = counting({ type: 'same-error', times: 2 }, 3)
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'stuck', condition: 'same-error' },
    })
    expect((await world.state(run)).iteration).toBe(4)
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
