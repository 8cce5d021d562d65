import { describe, expect, test } from 'vitest'
import type { LoopType } from '../../src/loop/index.ts'
import { createWorld, loopOf } from './fixture.ts'

interface Notes {
  readonly entries: string[]
}

/** Adds an entry in each of three iterations; `meddle` sees what it must not be able to change. */
function noteLoop(
  meddle: (given: { context: Notes; previous: Notes | undefined; input: Notes }) => void,
): LoopType<Notes, { notes: Notes; input: Notes; previous: Notes | undefined }, Notes, string> {
  return {
    name: 'notes',
    createContext: (input, previous) => ({
      notes: { entries: [...(previous?.entries ?? input.entries)] },
      input,
      previous,
    }),
    iterate: async (context, it) => {
      const entry = await it.step('write', () =>
        `${it.number} after ${context.notes.entries.length}`)
      meddle({ context: context.notes, previous: context.previous, input: context.input })
      return entry
    },
    extractProgress: (entry, previous) => ({
      entries: [...(previous?.entries ?? ['began']), entry],
    }),
    until: [{ type: 'max-iterations', iterations: 3 }],
  }
}

const undisturbed = ['began', '1 after 1', '2 after 2', '3 after 3']

function tryTo(meddle: () => void): string {
  try {
    meddle()
    return 'done'
  } catch (error) {
    return error instanceof TypeError ? 'refused' : 'failed'
  }
}

describe('E3: only progress is passed from one iteration to the next', () => {
  test('a context that was changed is created again from progress', async () => {
    const world = createWorld()
    const loop = noteLoop(({ context }) => {
      context.entries.push('smuggled')
    })
    const run = await world.start(loop, { input: { entries: ['began'] } })
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toEqual({ entries: undisturbed })
  })

  test('progress and input cannot be changed by the code that receives them', async () => {
    const world = createWorld()
    const attempts: string[] = []
    const loop = noteLoop(({ previous, input }) => {
      attempts.push(tryTo(() => input.entries.push('smuggled')))
      if (previous === undefined) return
      attempts.push(tryTo(() => previous.entries.push('smuggled')))
      attempts.push(tryTo(() => Object.assign(previous, { more: 1 })))
    })
    const run = await world.start(loop, { input: { entries: ['began'] } })
    await world.finish(run, loop)
    expect(new Set(attempts)).toEqual(new Set(['refused']))
    expect((await world.state(run)).progress).toEqual({ entries: undisturbed })
  })

  test('what an iteration returned can be changed later without reaching progress', async () => {
    const world = createWorld()
    const returned: { list: number[] }[] = []
    const seen: unknown[] = []
    const loop = loopOf<{ list: number[] }>(
      async (previous, it) => {
        seen.push(previous)
        for (const earlier of returned) earlier.list.push(99)
        const list = [...(previous?.list ?? []), it.number]
        returned.push({ list })
        return returned.at(-1) ?? { list }
      },
      { until: [{ type: 'max-iterations', iterations: 3 }] },
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(seen).toEqual([undefined, { list: [1] }, { list: [1, 2] }])
  })

  test('createContext gets input and progress, and nothing else', async () => {
    const world = createWorld()
    const given: unknown[][] = []
    const loop = loopOf<number>(async (previous) => (previous ?? 0) + 1, {
      createContext: (...args) => {
        given.push(args)
        return args[1]
      },
      until: [{ type: 'max-iterations', iterations: 2 }],
    })
    const run = await world.start(loop, { input: { goal: 'all' } })
    await world.finish(run, loop)
    expect(given).toEqual([
      [{ goal: 'all' }, undefined],
      [{ goal: 'all' }, 1],
    ])
  })

  test('a resumed run gets the same as one that was not interrupted', async () => {
    const world = createWorld()
    const contexts: unknown[] = []
    const stop = new AbortController()
    const loop = loopOf<{ n: number }>(
      async (previous, it) => {
        contexts.push(previous)
        await it.step('work', () => {
          if (it.number === 2) stop.abort()
        })
        await it.step('more', () => undefined)
        return { n: it.number }
      },
      { until: [{ type: 'max-iterations', iterations: 3 }] },
    )
    const run = await world.start(loop)
    expect((await world.finish(run, loop, { signal: stop.signal })).type).toBe('suspended')
    expect((await world.finish(run, loop)).type).toBe('ended')
    expect(contexts).toEqual([undefined, { n: 1 }, { n: 1 }, { n: 2 }])
  })
})
