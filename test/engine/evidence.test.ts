import { describe, expect, test } from 'vitest'
import type { Check } from '../../src/engine/index.ts'
import { FaultError, type Iteration } from '../../src/loop/index.ts'
import { createWorld, loopOf, memoryWorkspace, treeOf, type World, worldAfter } from './fixture.ts'

const met: Check = async () => ({ status: 'met', output: 'ok' })
const throwing: Check = async () => {
  throw new Error('no such command')
}

/** One iteration that does some work; complete when the checks pass on the tree at that time. */
const certified = (work: (it: Iteration) => Promise<unknown>, checks?: readonly string[]) =>
  loopOf<null>(
    async (_context, it) => {
      await work(it)
      return null
    },
    {
      until: [
        { type: 'checks-pass', ...(checks === undefined ? {} : { checks }) },
        { type: 'max-iterations', iterations: 1 },
      ],
    },
  )

async function outcomeOf(world: World, loop: ReturnType<typeof certified>): Promise<string> {
  const run = await world.start(loop)
  const end = await world.finish(run, loop)
  return end.type === 'ended' ? end.outcome.type : end.type
}

describe('E5: complete means that the checks passed on the current tree', () => {
  const workspace = () => memoryWorkspace({ code: 'broken' })

  test('a check is run by the engine, and its evidence is bound to the tree', async () => {
    const files = workspace()
    const world = createWorld({ workspace: files, checks: { test: met } })
    const loop = certified(async (it) => {
      await it.step('fix', () => void files.files.set('code', 'fixed'))
      const [result] = await it.check(['test'])
      expect(result).toMatchObject({ check: 'test', status: 'met', output: 'ok' })
      expect(result?.tree).toBe(it.workspace?.tree)
    })
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toEqual({
      type: 'ended',
      outcome: { type: 'completed', condition: 'checks-pass' },
    })
    const { evidence, tree } = await world.state(run)
    expect(evidence).toEqual({ test: { status: 'met', iteration: 1, tree } })
  })

  test('a change of files after the check voids it, and the engine checks again', async () => {
    const files = workspace()
    const seen: unknown[] = []
    const look: Check = async () => {
      const code = files.files.get('code')
      seen.push(code)
      return { status: code === 'broken' ? 'met' : 'not-met', output: '' }
    }
    const world = createWorld({ workspace: files, checks: { test: look } })
    const loop = certified(async (it) => {
      await it.check()
      await it.step('one more thing', () => void files.files.set('code', 'changed'))
    })
    expect(await outcomeOf(world, loop)).toBe('exhausted')
    expect(seen).toEqual(['broken', 'changed'])
  })

  test('a step that changed nothing does not', async () => {
    const files = workspace()
    const world = createWorld({ workspace: files, checks: { test: met } })
    const loop = certified(async (it) => {
      await it.check()
      await it.step('look', () => files.files.get('code'))
    })
    expect(await outcomeOf(world, loop)).toBe('completed')
  })

  test('restored files are the tree that was checked', async () => {
    const files = workspace()
    const world = createWorld({ workspace: files, checks: { test: met } })
    const loop = certified(async (it) => {
      await it.check()
      await it.step('change', () => void files.files.set('code', 'changed'))
      await it.step('undo', () => void files.files.set('code', 'broken'))
    })
    expect(await outcomeOf(world, loop)).toBe('completed')
  })

  test('a file that a person changed between two iterations voids it', async () => {
    const files = workspace()
    const seen: unknown[] = []
    const look: Check = async () => {
      seen.push(files.files.get('code'))
      return { status: 'met', output: '' }
    }
    const world = createWorld({ workspace: files, checks: { test: look } })
    const loop = loopOf<number>(
      async (_context, it) => {
        if (it.number === 1) await it.check()
        else await it.step('nothing', () => undefined, { readOnly: true })
        return it.number
      },
      {
        extractProgress: (n) => {
          files.files.set('code', `edited ${n}`)
          return n
        },
        until: [
          {
            type: 'all',
            of: [{ type: 'checks-pass' }, { type: 'max-iterations', iterations: 2 }],
          },
          { type: 'max-iterations', iterations: 2 },
        ],
      },
    )
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
    expect(seen).toEqual(['broken', 'edited 1'])
    // An edit made while it was certified is not part of it.
    expect(files.files.get('code')).toBe('edited 1')
  })

  test.each<[string, Record<string, Check>, string | undefined]>([
    [
      'is not met',
      { test: async () => ({ status: 'not-met', output: 'red', exitCode: 1 }) },
      'not-met',
    ],
    ['throws', { test: throwing }, 'error'],
    ['is skipped', { test: async () => ({ status: 'skipped', output: '' }) }, 'skipped'],
    [
      'throws a retryable fault',
      {
        test: async () => {
          throw new FaultError({ code: 'ECONNRESET', message: 'gone', retryable: true })
        },
      },
      'error',
    ],
    ['never returns', { test: () => new Promise(() => undefined) }, 'timeout'],
  ])('a check that %s has not passed', async (_name, checks, status) => {
    const world = createWorld({ checks })
    let seen: string | undefined
    const loop = certified(async (it) => {
      seen = (await it.check())[0]?.status
    })
    expect(await outcomeOf(world, loop)).toBe('exhausted')
    expect(seen).toBe(status)
  })

  test('all checks must have passed, those of the run or those that are named', async () => {
    const checks = { test: met, lint: throwing }
    expect(
      await outcomeOf(
        createWorld({ checks }),
        certified((it) => it.check()),
      ),
    ).toBe('exhausted')
    const named = certified((it) => it.check(), ['test'])
    expect(await outcomeOf(createWorld({ checks }), named)).toBe('completed')
    const onlyOneRan = certified((it) => it.check(['test']))
    expect(await outcomeOf(createWorld({ checks }), onlyOneRan)).toBe('exhausted')
  })

  test('a run without checks never passes them', async () => {
    expect(
      await outcomeOf(
        createWorld(),
        certified((it) => it.check()),
      ),
    ).toBe('exhausted')
  })

  test("an agent's claim is not a check", async () => {
    const report = {
      status: 'done',
      text: 'all tests pass',
      usage: { tokens: 1, costMicros: 1 },
      turns: 1,
    } as const
    const red: Check = async () => ({ status: 'not-met', output: 'red' })
    const world = createWorld({ checks: { test: red }, agents: { work: async () => report } })
    const loop = certified((it) => it.agent('maker', { prompt: 'fix it' }))
    expect(await outcomeOf(world, loop)).toBe('exhausted')
  })

  test('an unknown check fails the run', async () => {
    for (const name of ['missing', 'constructor']) {
      const world = createWorld({ checks: { test: met } })
      expect(
        await outcomeOf(
          world,
          certified((it) => it.check([name])),
        ),
      ).toBe('failed')
    }
  })

  test('files do not change while a check reads them', async () => {
    const files = workspace()
    const seen: unknown[] = []
    const world = createWorld({
      workspace: files,
      checks: {
        async test() {
          seen.push(files.files.get('code'))
          await world.clock.sleep(1000)
          seen.push(files.files.get('code'))
          return { status: 'met', output: '' }
        },
      },
    })
    const loop = certified((it) =>
      it.parallel({
        check: (branch) => branch.check(),
        change: (branch) => branch.step('change', () => void files.files.set('code', 'changed')),
      }),
    )
    await outcomeOf(world, loop)
    // The second check is the engine's own, on the files as they were left.
    expect(seen).toEqual(['broken', 'broken', 'changed', 'changed'])
  })

  test('E2: evidence is the same after a kill at any moment, and no check that ended runs again', async () => {
    const trees = new Map()
    const make = (files: ReturnType<typeof memoryWorkspace>) =>
      certified(async (it) => {
        await it.step('fix', () => void files.files.set('code', 'fixed'))
        await it.check()
      })
    const files = memoryWorkspace({ code: 'broken' }, trees)
    const world = createWorld({ workspace: files, checks: { lint: met, test: met } })
    const run = await world.start(make(files))
    await world.finish(run, make(files))
    const events = await world.events(run)
    const { evidence } = await world.state(run)
    for (let count = 1; count <= events.length; count++) {
      const left = memoryWorkspace({ code: count < 4 ? 'broken' : 'fixed' }, trees)
      const ran: string[] = []
      const watched =
        (name: string): Check =>
        (context) => {
          ran.push(name)
          return met(context)
        }
      const checks = { lint: watched('lint'), test: watched('test') }
      const later = await worldAfter(events, count, { workspace: left, checks })
      await later.finish(run, make(left))
      const state = await later.state(run)
      expect(state).toMatchObject({ status: 'completed', evidence })
      const done = events
        .slice(0, count)
        .flatMap(({ event }) =>
          event.type === 'step-finished' && event.evidence !== undefined
            ? [event.evidence.check]
            : [],
        )
      expect(ran.filter((name) => done.includes(name))).toEqual([])
    }
  })
})

test('changes made while a check ran are reverted, and saved as a tree', async () => {
  const files = memoryWorkspace({ a: '1' })
  const world = createWorld({
    workspace: files,
    checks: {
      test: async () => {
        files.files.set('a', 'by a person meanwhile')
        return { status: 'met', output: 'ok' }
      },
    },
  })
  const loop = certified((it) => it.check())
  const run = await world.start(loop)
  await world.finish(run, loop)
  expect(files.files.get('a')).toBe('1')
  const [changed] = await world.only(run, 'workspace-changed')
  expect(changed?.why).toBe('during-check')
  expect(files.trees.get(changed?.found ?? treeOf(''))).toEqual([['a', 'by a person meanwhile']])
})
