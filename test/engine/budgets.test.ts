import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Amount, FaultError, type Iteration, type Remaining } from '../../src/loop/index.ts'
import { createWorld, deferred, loopOf, worldAfter } from './fixture.ts'

const tokens = (count: number): Amount => ({ tokens: count, costMicros: 0 })
const plain = { readOnly: true }

describe('E4: a budget', () => {
  test('refuses before anything is spent, and the run ends by that limit', async () => {
    const world = createWorld()
    let ran = 0
    const loop = loopOf<null>(
      async (_context, it) => {
        await it.step(
          'call',
          ({ spend }) => {
            ran++
            spend(tokens(40))
          },
          { reserve: tokens(60) },
        )
        return null
      },
      { until: [] },
    )
    const run = await world.start(loop, { limits: { tokens: 100 } })
    expect(await world.finish(run, loop)).toEqual({
      type: 'ended',
      outcome: { type: 'exhausted', limit: 'tokens', condition: 'limits.tokens' },
    })
    expect(ran).toBe(2)
    const state = await world.state(run)
    expect(state.spent).toEqual(tokens(80))
    expect(state.reserved).toEqual({})
  })

  test.each<[string, Amount, string]>([
    ['tokens', { tokens: 101, costMicros: 0 }, 'tokens'],
    ['money', { tokens: 0, costMicros: 51 }, 'cost'],
  ])('that %s would break names its limit', async (_name, reserve, limit) => {
    const world = createWorld()
    const loop = loopOf<null>(async (_context, it) => it.step('call', () => null, { reserve }), {
      until: [],
    })
    const run = await world.start(loop, { limits: { tokens: 100, costMicros: 50 } })
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'exhausted', limit } })
  })

  test('shows what remains, including reservations of other branches', async () => {
    const world = createWorld()
    const seen: Remaining[] = []
    const hold = deferred()
    const loop = loopOf<null>(async (_context, it) => {
      seen.push(it.budget.remaining())
      await it.step('call', ({ spend }) => spend(tokens(10)), { reserve: tokens(30), ...plain })
      seen.push(it.budget.remaining())
      await it.parallel({
        waits: (branch) =>
          branch.step('hold', () => hold.promise, { reserve: tokens(50), ...plain }),
        looks: async (branch) => {
          await branch.step('look', () => undefined, plain)
          seen.push(branch.budget.remaining())
          hold.resolve()
        },
      })
      return null
    })
    const run = await world.start(loop, { limits: { tokens: 100, iterations: 7 } })
    await world.finish(run, loop)
    expect(seen.map((left) => left.tokens)).toEqual([100, 90, 40])
    expect(seen[0]).toMatchObject({ iterations: 7 })
  })

  test('charges a step that reserved and reported nothing for its whole reservation', async () => {
    const world = createWorld()
    const loop = loopOf<null>(async (_context, it) =>
      it.step('call', () => null, { reserve: tokens(60) }),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).spent).toEqual(tokens(60))
  })

  test('charges a failed step for what it spent, in each attempt', async () => {
    const world = createWorld()
    const loop = loopOf<null>(async (_context, it) =>
      it.step('call', ({ spend, attempt }) => {
        spend(tokens(7))
        if (attempt < 3) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
        return null
      }),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).spent).toEqual(tokens(21))
  })

  test('charges nothing for a step that was refused', async () => {
    const world = createWorld()
    const loop = loopOf<string>(async (_context, it) => {
      await it.step('dear', () => null, { reserve: tokens(500) }).catch(() => undefined)
      return it.step('cheap', () => 'made', { reserve: tokens(90) })
    })
    const run = await world.start(loop, { limits: { tokens: 100 } })
    await world.finish(run, loop)
    expect(await world.state(run)).toMatchObject({ progress: 'made', spent: tokens(90) })
  })

  test('prevents two branches from using the same remainder', async () => {
    const world = createWorld()
    const outcomes: string[] = []
    const call = async (it: Iteration): Promise<void> => {
      await it
        .step('call', ({ spend }) => spend(tokens(60)), { reserve: tokens(60), ...plain })
        .then(
          () => outcomes.push('called'),
          (error: unknown) =>
            outcomes.push(error instanceof FaultError ? error.fault.code : 'other'),
        )
    }
    const loop = loopOf<null>(async (_context, it) => {
      await it.parallel({ a: call, b: call, c: call })
      return null
    })
    const run = await world.start(loop, { limits: { tokens: 100 } })
    await world.finish(run, loop)
    expect(outcomes.toSorted()).toEqual(['budget', 'budget', 'called'])
  })

  test.each([
    { tokens: -1, costMicros: 0 },
    { tokens: 0.5, costMicros: 0 },
  ])('accepts no amount that would corrupt it: %j', async (amount) => {
    const world = createWorld()
    for (const loop of [
      loopOf<null>(async (_context, it) => it.step('a', () => null, { reserve: amount })),
      loopOf<null>(async (_context, it) => {
        await it.step('a', ({ spend }) => spend(amount))
        return null
      }),
    ]) {
      const run = await world.start(loop)
      expect(await world.finish(run, loop)).toMatchObject({
        outcome: { type: 'failed', fault: { code: 'bad-request' } },
      })
    }
  })
})

/** Three calls, of which the second does not fit. */
const threeCalls = () =>
  loopOf<string[]>(async (_context, it) => {
    const answers: string[] = []
    for (const amount of [60, 60, 30]) {
      const answer = await it
        .step('call', ({ spend }) => spend(tokens(amount)), { reserve: tokens(amount) })
        .then(() => 'called')
        .catch((error: unknown) => (error instanceof FaultError ? error.fault.code : 'other'))
      answers.push(answer)
    }
    await it.step('after', () => undefined)
    return answers
  })

test('E2: a caught refusal is the same after a resume, at every moment', async () => {
  const world = createWorld()
  const loop = threeCalls()
  const run = await world.start(loop, { limits: { tokens: 100 } })
  await world.finish(run, loop)
  const expected = ['called', 'budget', 'called']
  expect((await world.state(run)).progress).toEqual(expected)
  const events = await world.events(run)
  for (let count = 1; count <= events.length; count++) {
    const later = await worldAfter(events, count)
    await later.finish(run, threeCalls())
    const open = events[count - 1]?.event
    // An interrupted call is charged and repeated, so there may be less left for later ones.
    if (open?.type === 'step-started' && open.reserved !== undefined) continue
    expect((await later.state(run)).progress).toEqual(expected)
  }
})

test('E4: branches exceed a limit by the excess of their calls in flight, and no more', async () => {
  const call = fc.record({ worst: fc.nat(60), excess: fc.nat(9) })
  const callsOfBranches = fc.array(fc.array(call, { maxLength: 4 }), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(callsOfBranches, async (branches) => {
      const world = createWorld()
      const work = branches.map((calls, index) => [
        `branch ${index}`,
        async (it: Iteration) => {
          for (const { worst, excess } of calls) {
            const options = { reserve: tokens(worst), ...plain }
            const step = it.step('call', ({ spend }) => spend(tokens(worst + excess)), options)
            await step.catch(() => undefined)
          }
        },
      ])
      const loop = loopOf<null>(async (_context, it) => {
        await it.parallel(Object.fromEntries(work))
        return null
      })
      const run = await world.start(loop, { limits: { tokens: 100 } })
      await world.finish(run, loop)
      const { spent } = await world.state(run)
      expect(spent.tokens).toBeLessThanOrEqual(100 + branches.length * 9)
    }),
    { numRuns: 25 },
  )
})
