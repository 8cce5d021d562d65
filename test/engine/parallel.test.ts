import { describe, expect, test } from 'vitest'
import { FaultError, type Iteration } from '../../src/loop/index.ts'
import { createWorld, deferred, loopOf, worldAfter } from './fixture.ts'

describe('branches of parallel', () => {
  test('return their results by name, and have separate steps by path', async () => {
    const world = createWorld()
    const loop = loopOf<object>(async (_context, it) => {
      const first = await it.parallel({
        left: (branch) => branch.step('work', () => 1),
        right: (branch) => branch.step('work', () => 2),
      })
      const second = await it.parallel({
        left: (branch) => branch.parallel({ deep: (deeper) => deeper.step('work', () => 3) }),
      })
      return { first, second }
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    const steps = (await world.only(run, 'step-started')).map((event) => event.step)
    expect(new Set(steps)).toEqual(
      new Set(['0.left/work#1', '0.right/work#1', '1.left/0.deep/work#1']),
    )
    expect((await world.state(run)).progress).toEqual({
      first: { left: 1, right: 2 },
      second: { left: { deep: 3 } },
    })
  })

  test('run concurrently if their steps change no files', async () => {
    const world = createWorld()
    let inside = 0
    const together = deferred()
    const meet = async (): Promise<void> => {
      inside++
      if (inside === 2) together.resolve()
      await together.promise
    }
    const loop = loopOf<null>(async (_context, it) => {
      await it.parallel({
        left: (branch) => branch.step('meet', meet, { readOnly: true }),
        right: (branch) => branch.step('meet', meet, { readOnly: true }),
      })
      return null
    })
    const run = await world.start(loop)
    expect((await world.finish(run, loop)).type).toBe('ended')
  })

  test('are all awaited before the failure of one is thrown', async () => {
    const world = createWorld()
    const order: string[] = []
    const loop = loopOf<null>(async (_context, it) => {
      try {
        await it.parallel({
          fails: (branch) =>
            branch.step('fail', () => {
              throw new Error('no luck')
            }),
          slow: async (branch) => {
            await branch.sleep('nap', 5000)
            order.push('slow is done')
          },
        })
      } catch (error) {
        order.push(String(error))
      }
      return null
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(order).toEqual(['slow is done', 'FaultError: no luck'])
  })

  test('with names that could be mistaken for paths are refused', async () => {
    const world = createWorld()
    const loop = loopOf<null>(async (_context, it) => {
      await it.parallel({ 'a/b': (branch) => branch.step('x', () => 1) })
      return null
    })
    const run = await world.start(loop)
    const end = await world.finish(run, loop)
    expect(end).toMatchObject({ outcome: { type: 'failed', fault: { code: 'bad-name' } } })
  })
})

/** Two branches whose steps alternate; the order of arrival is recorded in one shared list. */
function racing(times: Record<string, number>, clock: () => (ms: number) => Promise<void>) {
  const arrivals: string[] = []
  const branchOf = (name: string) => async (it: Iteration) => {
    for (const n of [1, 2, 3]) {
      await it.step(`${name}${n}`, () => clock()(times[`${name}${n}`] ?? 0), { readOnly: true })
      arrivals.push(`${name}${n}`)
    }
  }
  const loop = loopOf<string[]>(async (_context, it) => {
    arrivals.length = 0
    await it.parallel({ a: branchOf('a'), b: branchOf('b') })
    await it.step('after', () => undefined)
    return [...arrivals]
  })
  return { loop, arrivals }
}

/** One branch fails, and another checks what the first one saw of it. */
function failingBranch() {
  const failed: string[] = []
  return loopOf<string[]>(async (_context, it) => {
    failed.length = 0
    const seen: string[] = []
    await it.parallel({
      fails: async (branch) => {
        await branch
          .step('fail', () => Promise.reject(new Error('no')))
          .catch((error) => {
            failed.push(error instanceof FaultError ? error.fault.message : 'other')
          })
      },
      looks: async (branch) => {
        await branch.sleep('nap', 10)
        seen.push(await branch.step('look', () => failed.join()))
        seen.push(failed.join())
      },
    })
    await it.step('after', () => undefined)
    return seen
  })
}

describe('E2: results arrive in the order of the journal', () => {
  const times = { a1: 30, b1: 10, b2: 5, a2: 5, b3: 100, a3: 1 }
  const order = ['b1', 'b2', 'a1', 'a2', 'a3', 'b3']

  test('after a resume from every moment, whatever the timing is then', async () => {
    const world = createWorld()
    const first = racing(times, () => (ms) => world.clock.sleep(ms))
    const run = await world.start(first.loop)
    await world.finish(run, first.loop)
    expect((await world.state(run)).progress).toEqual(order)
    const events = await world.events(run)
    for (let count = 1; count <= events.length; count++) {
      const later = await worldAfter(events, count)
      // Remaining steps run in reverse order; those with a result keep their position.
      const again = racing({ ...times, a3: 500 }, () => (ms) => later.clock.sleep(ms))
      await later.finish(run, again.loop)
      const done = events
        .slice(0, count)
        .flatMap(({ event }) =>
          event.type === 'step-finished' ? [event.step.replace(/^.*\/|#.*$/g, '')] : [],
        )
      const { progress } = await later.state(run)
      expect(progress).toEqual(expect.arrayContaining(order))
      expect(JSON.stringify(progress)).toContain(
        JSON.stringify(done.filter((name) => name !== 'after')).slice(1, -1),
      )
    }
  })

  test('one by one: the code finishes with a result before the next arrives', async () => {
    const make = () => {
      const log: string[] = []
      const branch = (name: string) => async (it: Iteration) => {
        for (const n of [1, 2]) {
          await it.step(`${name}${n}`, () => undefined, { readOnly: true })
          log.push(`${name}${n} came`)
          // Some waits that the engine does not know about.
          for (let wait = 0; wait < 10; wait++) await Promise.resolve()
          log.push(`${name}${n} is done with`)
        }
      }
      return loopOf<string[]>(async (_context, it) => {
        log.length = 0
        await it.parallel({ a: branch('a'), b: branch('b'), c: branch('c') })
        await it.step('after', () => undefined)
        return [...log]
      })
    }
    const expected = ['a1', 'b1', 'c1', 'a2', 'b2', 'c2'].flatMap((name) => [
      `${name} came`,
      `${name} is done with`,
    ])
    const world = createWorld()
    const loop = make()
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toEqual(expected)
    const events = await world.events(run)
    for (let count = 1; count <= events.length; count++) {
      const later = await worldAfter(events, count)
      await later.finish(run, make())
      expect((await later.state(run)).progress).toEqual(expected)
    }
  })

  test('also if a branch failed, and the others noticed', async () => {
    const world = createWorld()
    const loop = failingBranch()
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toEqual(['no', 'no'])
    const events = await world.events(run)
    for (let count = 1; count <= events.length; count++) {
      const later = await worldAfter(events, count)
      await later.finish(run, failingBranch())
      expect((await later.state(run)).progress).toEqual(['no', 'no'])
    }
  })
})

test('steps of one branch start in the order in which they were requested', async () => {
  const hold = deferred()
  const world = createWorld({
    hooks: [
      {
        name: 'slow for a',
        points: ['before-step'],
        blocking: true,
        run: ({ step }) => (step === 'a#1' ? hold.promise : undefined),
      },
    ],
  })
  const loop = loopOf<null>(async (_context, it) => {
    const all = [
      it.step('a', () => 1, { readOnly: true }),
      it.sleep('b', 5),
      it.ask('c', { text: 'c?', default: '', deadlineMs: 5 }),
      it.step('d', () => 1, { readOnly: true }),
    ]
    await Promise.all(all)
    return null
  })
  const run = await world.start(loop)
  const driving = world.drive(run, loop)
  await world.clock.settle()
  hold.resolve()
  await world.clock.pass(driving)
  const started = (await world.only(run, 'step-started')).map((event) => event.step)
  expect(started).toEqual(['a#1', 'sleep:b#1', 'ask:c#1', 'd#1'])
})
