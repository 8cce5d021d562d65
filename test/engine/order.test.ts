import { describe, expect, test } from 'vitest'
import type { Iteration } from '../../src/loop/index.ts'
import { createWorld, loopOf, type World } from './fixture.ts'

type Code = (it: Iteration) => Promise<unknown>

/** The same loop, according to its digest, with other code behind it. */
const loopWith = (code: { current: Code }) =>
  loopOf<unknown>(async (_context, it) => {
    await code.current(it)
    return 'done'
  })

const plain = { readOnly: true }
const step = (it: Iteration, name: string): Promise<string> => it.step(name, () => name, plain)

/** Runs some code until it is stopped after its last step, then other code on its journal. */
async function resumeWith(before: Code, after: Code) {
  const world = createWorld()
  const stop = new AbortController()
  const code = {
    current: async (it: Iteration) => {
      await before(it)
      await it.step('stop', () => stop.abort(), plain)
      await it.step('rest', () => undefined, plain)
    },
  }
  const loop = loopWith(code)
  const run = await world.start(loop)
  await world.finish(run, loop, { signal: stop.signal })
  const original = code.current
  code.current = async (it) => {
    await after(it)
    await it.step('stop', () => undefined, plain)
    await it.step('rest', () => undefined, plain)
  }
  const error = await world.finish(run, loop).catch((thrown: unknown) => thrown)
  return { world, run, loop, error, restore: () => (code.current = original) }
}

const statusOf = async (world: World, run: Parameters<World['state']>[0]) =>
  (await world.state(run)).status

const twoSteps: Code = async (it) => {
  await step(it, 'plan')
  await step(it, 'build')
}

const twoBranches: Code = (it) =>
  it.parallel({
    left: (branch) => step(branch, 'work'),
    right: (branch) => step(branch, 'work'),
  })

describe('code that does not request the recorded step stops the run with an error that names both', () => {
  test.each<[string, Code, Code, string, string]>([
    [
      'in another order',
      twoSteps,
      async (it) => {
        await step(it, 'build')
        await step(it, 'plan')
      },
      'next step in the journal is "plan#1"',
      'requests "build#1"',
    ],
    [
      'under another name',
      twoSteps,
      async (it) => {
        await step(it, 'plan')
        await step(it, 'construct')
      },
      'next step in the journal is "build#1"',
      'requests "construct#1"',
    ],
    [
      'as another kind of step',
      twoSteps,
      async (it) => {
        await it.sleep('plan', 0)
        await step(it, 'build')
      },
      'next step in the journal is "plan#1"',
      'requests "sleep:plan#1"',
    ],
    [
      'with one more before it',
      twoSteps,
      async (it) => {
        await step(it, 'prepare')
        await twoSteps(it)
      },
      'next step in the journal is "plan#1"',
      'requests "prepare#1"',
    ],
    [
      'with one left out',
      twoSteps,
      (it) => step(it, 'plan'),
      'next step in the journal is "build#1"',
      'requests "stop#1"',
    ],
    [
      'in a branch',
      (it) => it.parallel({ left: (branch) => step(branch, 'plan') }),
      (it) => it.parallel({ left: (branch) => step(branch, 'build') }),
      'next step in the journal is "0.left/plan#1"',
      'requests "0.left/build#1"',
    ],
  ])('%s', async (_name, before, after, journal, loopAsks) => {
    const { world, run, error } = await resumeWith(before, after)
    expect(error).toMatchObject({ code: 'step-mismatch' })
    expect(String(error)).toContain(journal)
    expect(String(error)).toContain(loopAsks)
    expect(await statusOf(world, run)).toBe('suspended')
  })

  test('even if it swallows the error', async () => {
    const { error } = await resumeWith(twoSteps, async (it) => {
      await step(it, 'wrong').catch(() => undefined)
      await step(it, 'build').catch(() => undefined)
    })
    expect(error).toMatchObject({ code: 'step-mismatch' })
    expect(String(error)).toContain('"wrong#1"')
  })

  test.each<[string, Code]>([
    ['one branch less', (it) => it.parallel({ right: (branch) => step(branch, 'work') })],
    ['another branch name', (it) => it.parallel({ other: (branch) => step(branch, 'work') })],
    ['no branches', async () => undefined],
  ])('with %s, naming the step that was not requested', async (_name, after) => {
    const { world, run, error } = await resumeWith(twoBranches, after)
    expect(error).toMatchObject({ code: 'step-mismatch' })
    expect(String(error)).toContain('0.left/work#1')
    expect(await statusOf(world, run)).toBe('suspended')
  })

  test('when it ends without requesting it', async () => {
    const world = createWorld()
    const stop = new AbortController()
    const code = {
      current: async (it: Iteration): Promise<unknown> => {
        await step(it, 'plan')
        await it.step('stop', () => stop.abort(), plain)
        return step(it, 'rest')
      },
    }
    const loop = loopWith(code)
    const run = await world.start(loop)
    await world.finish(run, loop, { signal: stop.signal })
    code.current = (it) => step(it, 'plan')
    await expect(world.finish(run, loop)).rejects.toThrow(
      'has a result for step "stop#1", but the loop ended iteration 1 without requesting it',
    )
  })

  test('and with the old code the run continues as if nothing had happened', async () => {
    const { world, run, loop, restore } = await resumeWith(twoSteps, (it) => step(it, 'other'))
    restore()
    const end = await world.finish(run, loop)
    expect(end.type).toBe('ended')
    expect((await world.state(run)).progress).toBe('done')
    const finished = (await world.only(run, 'step-finished')).map((event) => event.step)
    expect(finished).toEqual(['plan#1', 'build#1', 'stop#1', 'rest#1'])
  })
})

describe('code may differ', () => {
  test('in steps that come after those that the journal has', async () => {
    const world = createWorld()
    const stop = new AbortController()
    const code = {
      current: async (it: Iteration): Promise<unknown> => {
        await it.step('plan', () => stop.abort(), plain)
        return step(it, 'old')
      },
    }
    const loop = loopWith(code)
    const run = await world.start(loop)
    await world.finish(run, loop, { signal: stop.signal })
    code.current = async (it) => {
      await step(it, 'plan')
      await step(it, 'new')
    }
    expect((await world.finish(run, loop)).type).toBe('ended')
  })

  test('in the order of its branches', async () => {
    const branches = {
      left: (branch: Iteration) => step(branch, 'a'),
      right: (branch: Iteration) => step(branch, 'b'),
    }
    const { left, right } = branches
    const { error } = await resumeWith(
      (it) => it.parallel({ left, right }),
      (it) => it.parallel({ right, left }),
    )
    expect(error).toMatchObject({ type: 'ended' })
  })
})
