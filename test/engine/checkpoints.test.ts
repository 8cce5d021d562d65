import { uuidv7 } from 'uuidv7'
import { describe, expect, test } from 'vitest'
import { forkRun, rewindRun, stateAt } from '../../src/engine/index.ts'
import { type RunId, rateLimited } from '../../src/loop/index.ts'
import { createWorld, idOf, loopOf, memoryWorkspace, type World } from './fixture.ts'

/** Adds its number to a list and to a file, three times; each iteration costs ten tokens. */
const listing = (iterations = 3) =>
  loopOf<number[]>(
    async (previous, it) => {
      const added = await it.step('add', ({ spend }) => {
        spend({ tokens: 10, costMicros: 0 })
        return it.number
      })
      return [...(previous ?? []), added]
    },
    { until: [{ type: 'max-iterations', iterations }] },
  )

async function finished(world: World, loop = listing()): Promise<RunId> {
  const run = await world.start(loop, { input: 'the input' })
  await world.finish(run, loop)
  return run
}

async function forked(world: World, from: RunId, iteration: number, loop = listing(5)) {
  const id = idOf(uuidv7())
  await forkRun(loop, world.ports, { id, name: `fork ${id}`, from, iteration })
  return id
}

/** Drives a fork that reads nothing and changes nothing. */
const driveFork = (world: World, fork: RunId) =>
  world.finish(
    fork,
    loopOf<number>(async () => 0, { until: [{ type: 'max-iterations', iterations: 3 }] }),
  )

describe('checkpoints', () => {
  test('are created for each iteration that counted', async () => {
    const world = createWorld()
    const run = await finished(world)
    const checkpoints = await world.journal.checkpoints(run)
    expect(checkpoints.map(({ iteration }) => iteration)).toEqual([1, 2, 3])
    const events = await world.events(run)
    for (const { seq, iteration } of checkpoints) {
      expect(events[seq - 1]?.event).toMatchObject({ type: 'iteration-ended', iteration })
    }
  })

  test('are not created for an iteration that was only interrupted or rate-limited', async () => {
    const world = createWorld()
    let refused = false
    const loop = loopOf<number>(async (_context, it) =>
      it.step('model', () => {
        if (refused) return 1
        refused = true
        throw rateLimited('not now', world.clock.now() + 10)
      }),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(await world.only(run, 'iteration-ended')).toHaveLength(2)
    expect(await world.journal.checkpoints(run)).toHaveLength(1)
  })

  test('contain the state at that time', async () => {
    const world = createWorld()
    const run = await finished(world)
    const states = await Promise.all([0, 1, 2, 3].map((n) => stateAt(world.journal, run, n)))
    expect(states.map(({ progress }) => progress)).toEqual([undefined, [1], [1, 2], [1, 2, 3]])
    expect(states.map(({ spent }) => spent.tokens)).toEqual([0, 10, 20, 30])
    await expect(stateAt(world.journal, run, 4)).rejects.toMatchObject({
      code: 'unknown-checkpoint',
    })
  })
})

describe('a fork', () => {
  test.each([
    [0, [1, 2, 3, 4, 5]],
    [1, [1, 2, 3, 4, 5]],
    [3, [1, 2, 3, 4, 5]],
  ])('at iteration %i continues from there', async (iteration, progress) => {
    const world = createWorld()
    const from = await finished(world)
    const fork = await forked(world, from, iteration)
    expect((await world.journal.findRun(fork)).iteration).toBe(iteration)
    const ran: number[] = []
    const loop = listing(5)
    const watched: typeof loop = {
      ...loop,
      iterate(context, it) {
        ran.push(it.number)
        return loop.iterate(context, it)
      },
    }
    await world.finish(fork, watched)
    expect(ran[0]).toBe(iteration + 1)
    const state = await world.state(fork)
    expect(state).toMatchObject({ iteration: 5, progress, status: 'exhausted' })
    expect(state.origin).toEqual({ type: 'fork', run: from, iteration })
  })

  test('has its own budget and limits, and the input of the original', async () => {
    const world = createWorld()
    const from = await finished(world)
    const id = idOf(uuidv7())
    const inputs: unknown[] = []
    const loop = {
      ...listing(5),
      createContext: (input: unknown, previous: number[] | undefined) => {
        inputs.push(input)
        return previous
      },
    }
    const options = { id, name: 'fork', from, iteration: 2, limits: { tokens: 15 } }
    await forkRun(loop, world.ports, options)
    expect((await world.state(id)).spent.tokens).toBe(0)
    expect(await world.finish(id, loop)).toMatchObject({ outcome: { limit: 'tokens' } })
    expect((await world.state(id)).spent.tokens).toBe(20)
    expect(new Set(inputs)).toEqual(new Set(['the input']))
  })

  test('does not change the original run', async () => {
    const world = createWorld()
    const from = await finished(world)
    const before = await world.events(from)
    const fork = await forked(world, from, 2)
    await world.finish(fork, listing(5))
    expect(await world.events(from)).toEqual(before)
  })

  test('of a fork continues from there', async () => {
    const world = createWorld()
    const first = await forked(world, await finished(world), 2)
    await world.finish(first, listing(4))
    const second = await forked(world, first, 2)
    expect((await world.state(second)).progress).toEqual([1, 2])
    await expect(forked(world, first, 1)).rejects.toMatchObject({ code: 'unknown-checkpoint' })
  })

  test('starts with the files of that time', async () => {
    const files = memoryWorkspace({ log: '' })
    const world = createWorld({ workspace: files })
    const loop = loopOf<number>(
      async (_context, it) =>
        it.step('write', () => {
          files.files.set('log', `${files.files.get('log')}${it.number}`)
          return it.number
        }),
      { until: [{ type: 'max-iterations', iterations: 3 }] },
    )
    const from = await world.start(loop)
    await world.finish(from, loop)
    const fork = await forked(world, from, 2)
    await driveFork(world, fork)
    expect(files.files.get('log')).toBe('12')
  })

  test('without a checkpoint is refused', async () => {
    const world = createWorld()
    const from = await finished(world)
    await expect(forked(world, from, 9)).rejects.toMatchObject({ code: 'unknown-checkpoint' })
    await expect(forked(world, idOf('nobody'), 1)).rejects.toMatchObject({ code: 'unknown-run' })
  })
})

describe('rewinding', () => {
  async function stoppedAfter(world: World, iterations: number): Promise<RunId> {
    const loop = listing(99)
    const run = await world.start(loop, { limits: { iterations: 10 } })
    const stop = new AbortController()
    const stopping = {
      ...loop,
      iterate: (context: number[] | undefined, it: Parameters<typeof loop.iterate>[1]) => {
        if (it.number > iterations) stop.abort()
        return loop.iterate(context, it)
      },
    }
    await world.finish(run, stopping, { signal: stop.signal })
    return run
  }

  test('continues from an earlier iteration; what was spent stays spent', async () => {
    const world = createWorld()
    const run = await stoppedAfter(world, 3)
    await rewindRun(run, 1, world.ports, 'me')
    const state = await world.state(run)
    expect(state).toMatchObject({ iteration: 1, progress: [1] })
    expect(state.spent.tokens).toBe(30)
    expect((await world.journal.checkpoints(run)).map(({ iteration }) => iteration)).toEqual([1])
    expect((await world.journal.findRun(run)).iteration).toBe(1)
    await world.finish(run, listing(3), { force: true })
    expect(await world.state(run)).toMatchObject({ progress: [1, 2, 3], iteration: 3 })
    expect((await world.journal.checkpoints(run)).map(({ iteration }) => iteration)).toEqual([
      1, 2, 3,
    ])
  })

  test('to the beginning starts anew', async () => {
    const world = createWorld()
    const run = await stoppedAfter(world, 2)
    await rewindRun(run, 0, world.ports, 'me')
    const state = await world.state(run)
    expect(state.iteration).toBe(0)
    expect(state.progress).toBeUndefined()
  })

  test('is refused for a run that has ended, and if there is no checkpoint', async () => {
    const world = createWorld()
    const ended = await finished(world)
    await expect(rewindRun(ended, 1, world.ports, 'me')).rejects.toMatchObject({
      code: 'wrong-status',
    })
    const stopped = await stoppedAfter(world, 2)
    await expect(rewindRun(stopped, 7, world.ports, 'me')).rejects.toMatchObject({
      code: 'unknown-checkpoint',
    })
    expect((await world.journal.findRun(stopped)).held).toBe(false)
  })

  test.each([
    [0, ''],
    [1, '1'],
    [2, '12'],
  ])('to iteration %i restores the files', async (iteration, text) => {
    const workspace = memoryWorkspace({ log: '' })
    const world = createWorld({ workspace })
    const stop = new AbortController()
    const loop = loopOf<number>(
      async (_context, it) => {
        if (it.number === 4) stop.abort()
        return it.step('write', () => {
          workspace.files.set('log', `${workspace.files.get('log')}${it.number}`)
          return it.number
        })
      },
      { until: [] },
    )
    const run = await world.start(loop)
    await world.finish(run, loop, { signal: stop.signal })
    expect(workspace.files.get('log')).toBe('123')
    await rewindRun(run, iteration, world.ports, 'me')
    const seen: unknown[] = []
    const looking = {
      ...loop,
      iterate: async () => {
        seen.push(workspace.files.get('log'))
        return 0
      },
      until: [{ type: 'max-iterations', iterations: iteration + 1 } as const],
    }
    await world.finish(run, looking)
    expect(seen).toEqual([text])
  })
})
