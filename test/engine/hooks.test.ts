import { describe, expect, test } from 'vitest'
import { type Hook, type HookPoint, hookPoints } from '../../src/engine/index.ts'
import { FaultError } from '../../src/loop/index.ts'
import { createWorld, loopOf, until, worldAfter } from './fixture.ts'

const everyPoint: readonly HookPoint[] = hookPoints
const tools = { call: async () => ({ ok: true, output: 'found' }) }
const working = () =>
  loopOf<unknown>(async (_context, it) => {
    await it.step('work', () => 1)
    return it.tool('grep', 'x')
  })

const refusing = (
  point: HookPoint,
  when: (step: string | undefined) => boolean = () => true,
): Hook => ({
  name: 'guard',
  points: [point],
  blocking: true,
  run({ step }) {
    if (when(step)) throw new Error('not today')
  },
})

describe('hooks', () => {
  test('are called before and after runs, iterations, steps and tools', async () => {
    const told: string[] = []
    const run: Hook['run'] = ({ point, step, state }) => {
      told.push([point, step ?? '', state.status].join(' '))
    }
    const world = createWorld({
      tools,
      hooks: [{ name: 'log', points: everyPoint, blocking: true, run }],
    })
    const loop = working()
    const id = await world.start(loop)
    await world.finish(id, loop)
    expect(told).toEqual([
      'before-run  running',
      'before-iteration  running',
      'before-step work#1 running',
      'after-step work#1 running',
      'before-step tool:grep#1 running',
      'before-tool grep running',
      'after-tool grep running',
      'after-step tool:grep#1 running',
      'after-iteration  running',
      'after-run  exhausted',
    ])
  })

  test('receive the fault of a step', async () => {
    const faults: unknown[] = []
    const world = createWorld({
      hooks: [
        { name: 'log', points: ['after-step'], run: ({ fault }) => void faults.push(fault?.code) },
      ],
    })
    const loop = loopOf<null>(async (_context, it) => {
      await it.step('fail', () => Promise.reject(new Error('no'))).catch(() => undefined)
      return null
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(faults).toEqual(['step-failed'])
  })
})

describe('a blocking hook', () => {
  test('that throws a fatal fault ends the run with its reason', async () => {
    const fault = { code: 'enough', message: 'no more', retryable: false, fatal: true }
    const run: Hook['run'] = () => {
      throw new FaultError(fault)
    }
    const hooks = [{ name: 'guard', points: ['before-iteration' as const], blocking: true, run }]
    const world = createWorld({ hooks })
    const loop = working()
    const id = await world.start(loop)
    expect(await world.finish(id, loop)).toMatchObject({
      outcome: { type: 'failed', fault: { code: 'refused', message: 'hook "guard": no more' } },
    })
  })

  test('refuses the step that it precedes: the step does not run, and this is journaled', async () => {
    let ran = 0
    const world = createWorld({ hooks: [refusing('before-step', (step) => step === 'push#1')] })
    const loop = loopOf<string>(async (_context, it) =>
      it.step('push', () => ran++).then(String, (error: unknown) => String(error)),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(ran).toBe(0)
    expect((await world.state(run)).progress).toBe('FaultError: hook "guard": not today')
    const [failed] = await world.only(run, 'step-failed')
    expect(failed?.fault).toMatchObject({ code: 'refused', retryable: false })
  })

  test('E2: has its refusal recorded, even if it would no longer refuse', async () => {
    const make = () =>
      loopOf<string>(async (_context, it) => {
        const first = await it.step('push', () => 'pushed').catch(() => 'refused')
        await it.step('after', () => undefined)
        return first
      })
    const world = createWorld({ hooks: [refusing('before-step', (step) => step === 'push#1')] })
    const loop = make()
    const run = await world.start(loop)
    await world.finish(run, loop)
    const events = await world.events(run)
    const kept = events.findIndex(({ event }) => event.type === 'step-failed') + 1
    for (let count = kept; count <= events.length; count++) {
      const later = await worldAfter(events, count)
      await later.finish(run, make())
      expect((await later.state(run)).progress).toBe('refused')
    }
  })

  test('refuses a tool, and nothing is called', async () => {
    const called: string[] = []
    const world = createWorld({
      hooks: [refusing('before-tool')],
      tools: {
        async call(name) {
          called.push(name)
          return { ok: true, output: null }
        },
      },
    })
    const loop = loopOf<string>(async (_context, it) =>
      it.tool('rm', '*').then(
        () => 'done',
        () => 'refused',
      ),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(called).toEqual([])
    expect((await world.state(run)).progress).toBe('refused')
  })

  test('refuses an iteration, which the run counts as an error', async () => {
    const world = createWorld({ hooks: [refusing('before-iteration')] })
    const loop = loopOf<number>(async () => 1, { until: [] })
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'stuck', condition: 'limits.same-errors' },
    })
  })

  test('refuses a whole run, which fails', async () => {
    const world = createWorld({ hooks: [refusing('before-run')] })
    const loop = working()
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'failed', fault: { code: 'refused', message: 'hook "guard": not today' } },
    })
    expect(await world.only(run, 'iteration-started')).toEqual([])
  })

  test.each(everyPoint.filter((point) => point.startsWith('after-')))(
    'cannot refuse what has happened: %s',
    async (point) => {
      const world = createWorld({ tools, hooks: [refusing(point)] })
      const loop = working()
      const run = await world.start(loop)
      expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'exhausted' } })
      expect(await world.only(run, 'step-finished')).toHaveLength(2)
      expect(await world.only(run, 'step-failed')).toEqual([])
    },
  )

  test('E9: that never returns delays a step for a limited time, and not a cancelled run', async () => {
    const hanging: Hook = {
      name: 'stuck',
      points: ['before-step'],
      blocking: true,
      run: () => new Promise(() => undefined),
    }
    const world = createWorld({ hooks: [hanging] })
    const loop = loopOf<string>(async (_context, it) =>
      it.step('work', () => 'done').catch((error: unknown) => String(error)),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toContain('hook "stuck"')
    const cancelled = await world.start(loop)
    const driving = world.drive(cancelled, loop)
    await world.clock.settle()
    await world.decide(cancelled, { type: 'cancel', reason: '' })
    expect(await world.clock.pass(driving)).toMatchObject({ outcome: { type: 'cancelled' } })
  })
})

describe('an observing hook', () => {
  test.each<[string, Hook['run']]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['never returns', () => new Promise(() => undefined)],
  ])('that %s never affects a run', async (_name, run) => {
    const world = createWorld({ tools, hooks: [{ name: 'watcher', points: everyPoint, run }] })
    const loop = working()
    const id = await world.start(loop)
    expect(await world.finish(id, loop)).toMatchObject({ outcome: { type: 'exhausted' } })
    expect((await world.state(id)).metrics).toMatchObject({ steps: 2, stepsFailed: 0 })
  })

  test('that falls behind misses what comes next, and the run continues', async () => {
    let told = 0
    const world = createWorld({
      hooks: [
        {
          name: 'slow',
          points: ['after-step'],
          run: () => {
            told++
            return new Promise(() => undefined)
          },
        },
      ],
    })
    const loop = loopOf<null>(async (_context, it) => {
      for (let n = 0; n < 1100; n++) await it.step('work', () => n)
      return null
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    await until(() => told > 0)
    expect(told).toBe(1000)
  })
})
