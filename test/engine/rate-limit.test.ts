import { describe, expect, test } from 'vitest'
import { rateLimited } from '../../src/loop/index.ts'
import { createWorld, loopOf, until, type World, worldAfter } from './fixture.ts'

/** A finished step, then one that a provider refuses a number of times. */
function limitedLoop(world: () => World, refusals: number, waitMs = 60_000) {
  const ran: string[] = []
  const calls: number[] = []
  const loop = loopOf<string>(async (_context, it) => {
    await it.step('before', () => ran.push('before'))
    return it.step('model', () => {
      const { clock } = world()
      calls.push(clock.now())
      if (calls.length <= refusals) throw rateLimited('not now', clock.now() + waitMs)
      return 'answered'
    })
  })
  return { loop, ran, calls }
}

describe('a provider that rate-limits', () => {
  test('is waited for; the same iteration continues, is not counted, and repeats no finished step', async () => {
    const world = createWorld()
    const { loop, ran, calls } = limitedLoop(() => world, 2)
    const run = await world.start(loop, { limits: { iterations: 1 } })
    const end = await world.finish(run, loop)
    expect(end).toMatchObject({ outcome: { condition: 'max-iterations' } })
    const state = await world.state(run)
    expect(state.progress).toBe('answered')
    expect(state.iteration).toBe(1)
    expect(state.metrics).toMatchObject({ rateLimits: 2, iterationErrors: 0 })
    expect(ran).toEqual(['before'])
    const [first = 0, second = 0, third = 0] = calls
    expect([second - first, third - second]).toEqual([60_000, 60_000])
  })

  test('E2: repeats no finished step, even if so much was written that a snapshot is due', async () => {
    const world = createWorld()
    let calls = 0
    let ran = 0
    const loop = loopOf<number>(
      async (_context, it) => {
        const large = await it.step('large', () => {
          ran++
          return 'x'.repeat(40_000)
        })
        return it.step('model', () => {
          calls++
          if (calls % 2 === 1) throw rateLimited('not now', world.clock.now() + 1000)
          return large.length
        })
      },
      { until: [{ type: 'max-iterations', iterations: 2 }] },
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect([ran, calls]).toEqual([2, 4])
    expect(await world.journal.snapshot(run)).toMatchObject({ iteration: 2 })
  })

  test('does not use up the attempts of the step', async () => {
    const world = createWorld()
    let calls = 0
    const loop = loopOf<string>(async (_context, it) =>
      it.step('model', () => {
        calls++
        if (calls <= 5) throw rateLimited('not now', world.clock.now() + 10)
        if (calls <= 7) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
        return 'answered'
      }),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe('answered')
  })

  test('shows as waiting, and does not count as active time', async () => {
    const world = createWorld()
    const { loop, calls } = limitedLoop(() => world, 1)
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await until(() => calls.length === 1)
    await world.clock.settle()
    expect((await world.journal.findRun(run)).status).toBe('waiting')
    await world.clock.pass(driving)
    expect((await world.state(run)).activeMs).toBeLessThan(1000)
  })

  test('is waited for until the deadline at most', async () => {
    const world = createWorld()
    const { loop, calls } = limitedLoop(() => world, 1)
    const deadlineAtMs = world.clock.now() + 10_000
    const run = await world.start(loop, { limits: { deadlineAtMs } })
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'exhausted', limit: 'deadline' },
    })
    expect(calls).toHaveLength(1)
    expect(world.clock.now()).toBe(deadlineAtMs)
  })

  test('can be waited for by another process, until the same moment', async () => {
    const world = createWorld()
    const { loop, calls } = limitedLoop(() => world, 1)
    const stop = new AbortController()
    const run = await world.start(loop)
    const driving = world.drive(run, loop, { signal: stop.signal })
    await until(() => calls.length === 1)
    await world.clock.advance(20_000)
    stop.abort()
    expect((await world.clock.pass(driving)).type).toBe('suspended')
    await world.finish(run, loop)
    const [first = 0, second = 0] = calls
    expect(second - first).toBe(60_000)
  })

  test('halts all branches of the iteration, and finished ones stay finished', async () => {
    const world = createWorld()
    let refused = false
    const ran: string[] = []
    const loop = loopOf<unknown>(async (_context, it) =>
      it.parallel({
        quick: (branch) => branch.step('quick', () => ran.push('quick'), { readOnly: true }),
        model: (branch) =>
          branch.step(
            'model',
            () => {
              if (refused) return 'answered'
              refused = true
              throw rateLimited('not now', world.clock.now() + 1000)
            },
            { readOnly: true },
          ),
        later: async (branch) => {
          await branch.sleep('nap', 500)
          await branch.step('later', () => ran.push('later'), { readOnly: true })
        },
      }),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(ran).toEqual(['quick', 'later'])
    expect((await world.state(run)).metrics.rateLimits).toBe(1)
  })

  test('cannot be swallowed by the loop', async () => {
    const world = createWorld()
    let calls = 0
    const loop = loopOf<string>(async (_context, it) =>
      it
        .step('model', () => {
          calls++
          if (calls === 1) throw rateLimited('not now', world.clock.now() + 1000)
          return 'answered'
        })
        .catch(() => 'swallowed'),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe('answered')
  })

  test('E2: leads to the same result when the process is killed at any moment', async () => {
    const world = createWorld()
    const first = limitedLoop(() => world, 2)
    const run = await world.start(first.loop)
    await world.finish(run, first.loop)
    const events = await world.events(run)
    for (let count = 1; count <= events.length; count++) {
      const later = await worldAfter(events, count)
      const again = limitedLoop(() => later, 1, 5000)
      await later.finish(run, again.loop)
      const state = await later.state(run)
      expect(state).toMatchObject({ progress: 'answered', iteration: 1 })
      const wasDone = events.slice(0, count).some(({ event }) => event.type === 'step-finished')
      expect(again.ran).toHaveLength(wasDone ? 0 : 1)
    }
  })
})
