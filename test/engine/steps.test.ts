import { describe, expect, test } from 'vitest'
import type { StepOptions } from '../../src/loop/index.ts'
import { createWorld, loopOf } from './fixture.ts'

describe('a step', () => {
  test('E2: runs once, and its result survives a stop and a resume', async () => {
    const world = createWorld()
    const ran: string[] = []
    const stop = new AbortController()
    const loop = loopOf<string>(async (_context, it) => {
      const first = await it.step('first', () => {
        ran.push('first')
        return { made: ['once'] }
      })
      await it.step('second', () => {
        ran.push('second')
        if (ran.length === 2) stop.abort()
      })
      const third = await it.step('third', () => {
        ran.push('third')
        return first.made.length
      })
      return `${first.made[0]} ${third}`
    })
    const run = await world.start(loop)
    await world.finish(run, loop, { signal: stop.signal })
    expect(ran).toEqual(['first', 'second'])
    await world.finish(run, loop)
    expect(ran).toEqual(['first', 'second', 'third'])
    expect((await world.state(run)).progress).toBe('once 1')
  })

  test('E1: has its start on disk before it does anything, and its result before any code sees it', async () => {
    const world = createWorld()
    const seen: Record<string, unknown[]> = {}
    const loop = loopOf<null>(async (_context, it) => {
      await it.step('work', async () => {
        seen['inside'] = (await world.events(run)).map(({ event }) => event.type)
      })
      seen['after'] = (await world.events(run)).map(({ event }) => event.type)
      return null
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(seen['inside']?.at(-1)).toBe('step-started')
    expect(seen['after']?.at(-1)).toBe('step-finished')
  })

  test('returns what a resumed run would read: frozen, and without what JSON drops', async () => {
    const world = createWorld()
    const results: unknown[] = []
    const loop = loopOf<null>(async (_context, it) => {
      const given = { kept: 1, lost: undefined }
      const result = await it.step('work', () => given)
      results.push(result, Object.isFrozen(result), result === given)
      results.push(await it.step('nothing', () => undefined))
      return null
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(results).toEqual([{ kept: 1 }, true, false, undefined])
  })

  test('may be requested with the same name again: each request is another step', async () => {
    const world = createWorld()
    const loop = loopOf<number[]>(async (_context, it) => {
      const numbers: number[] = []
      for (const n of [1, 2, 3]) numbers.push(await it.step('count', () => n * 10))
      return numbers
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    const finished = await world.only(run, 'step-finished')
    expect(finished.map((event) => event.step)).toEqual(['count#1', 'count#2', 'count#3'])
    expect((await world.state(run)).progress).toEqual([10, 20, 30])
  })

  test.each<[string, unknown, string]>([
    ['a date', { report: { when: new Date(0) } }, '$.report.when'],
    ['a function', { list: [1, () => 1] }, '$.list[1]'],
    ['a map', new Map(), '$'],
  ])(
    'that returns %s fails the run with the path of the offending field',
    async (_name, value, path) => {
      const world = createWorld()
      const loop = loopOf<null>(async (_context, it) => {
        await it.step('report', () => value)
        return null
      })
      const run = await world.start(loop)
      const end = await world.finish(run, loop)
      expect(end).toMatchObject({
        outcome: { type: 'failed', fault: { code: 'not-serialisable' } },
      })
      expect(JSON.stringify(end)).toContain(
        `The step's result is not serializable: ${path} cannot be stored`,
      )
    },
  )

  test.each(['', 'a/b', 'a#b', 'tool:mine', 'x'.repeat(300)])(
    'cannot be named %j',
    async (name) => {
      const world = createWorld()
      const loop = loopOf<null>(async (_context, it) => {
        await it.step(name, () => 1)
        return null
      })
      const run = await world.start(loop)
      const end = await world.finish(run, loop)
      expect(end).toMatchObject({ outcome: { type: 'failed', fault: { code: 'bad-name' } } })
    },
  )

  test('that is not awaited ends before its iteration does, and belongs to it', async () => {
    const world = createWorld()
    const loop = loopOf<number>(
      async (_context, it) => {
        void it.step('log', () => world.clock.sleep(1000), { readOnly: true })
        return it.step('work', () => it.number, { readOnly: true })
      },
      { until: [{ type: 'max-iterations', iterations: 2 }] },
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    const order = (await world.events(run)).flatMap(({ event }) =>
      event.type === 'step-finished'
        ? [`${event.iteration} ${event.step}`]
        : event.type === 'iteration-ended'
          ? [`${event.iteration} ended`]
          : [],
    )
    expect(order).toEqual(['1 work#1', '1 log#1', '1 ended', '2 work#1', '2 log#1', '2 ended'])
  })

  test('E2: beside one that failed ends before the next iteration begins', async () => {
    const world = createWorld()
    const stop = new AbortController()
    const options: StepOptions = { readOnly: true, retry: { attempts: 1 } }
    const loop = loopOf<unknown>(
      async (_context, it) => {
        const slow = it.step('slow', () => world.clock.sleep(100).then(() => it.number), options)
        const other = it.step(
          'other',
          () => {
            if (it.number === 1) throw new Error('no')
            stop.abort()
          },
          options,
        )
        await Promise.all([slow, other])
        return it.step('result', () => slow)
      },
      { until: [{ type: 'max-iterations', iterations: 2 }] },
    )
    const run = await world.start(loop)
    await world.finish(run, loop, { signal: stop.signal })
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe(2)
  })
})
