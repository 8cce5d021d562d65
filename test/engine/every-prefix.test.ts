// E2, by exhaustion: each loop runs once to its end; then, for every moment of its journal, another
// world in which only that much happened is driven to the end, and must have the same result.

import { describe, expect, test } from 'vitest'
import type { AnyLoopType } from '../../src/engine/index.ts'
import { FaultError, type Iteration, type RecordedEvent } from '../../src/loop/index.ts'
import {
  createWorld,
  loopOf,
  moments,
  type StartOptions,
  stepResults,
  type World,
  worldAfter,
} from './fixture.ts'

interface Case {
  /** Creates the loop for one world; everything that runs is passed to `ran`. */
  readonly make: (ran: (id: string) => void, world: () => World) => AnyLoopType
  readonly options?: StartOptions
  /** What people do while it runs. */
  readonly people?: (world: World, run: Parameters<World['state']>[0]) => Promise<void>
}

type Ran = (id: string) => void

const stepOf =
  (it: Iteration, ran: Ran, path = '') =>
  <T>(name: string, work: () => T) =>
    it.step(
      name,
      () => {
        ran(`${it.number} ${path}${name}`)
        return work()
      },
      { readOnly: true },
    )

const cases: Readonly<Record<string, Case>> = {
  'three iterations of two steps': {
    make: (ran) =>
      loopOf<number>(
        async (previous, it) => {
          const step = stepOf(it, ran)
          const double = await step('double', () => (previous ?? 1) * 2)
          return step('add', () => double + 1)
        },
        { until: [{ type: 'max-iterations', iterations: 3 }] },
      ),
  },
  'branches in branches': {
    make: (ran) =>
      loopOf<unknown>(async (_context, it) => {
        const base = await stepOf(it, ran)('base', () => 10)
        const both = await it.parallel({
          left: async (left) => {
            const one = await stepOf(left, ran, '0.left/')('one', () => base + 1)
            const two = await stepOf(left, ran, '0.left/')('two', () => one + 1)
            return two
          },
          right: (right) =>
            right.parallel({
              deep: (deep) => stepOf(deep, ran, '0.right/0.deep/')('one', () => base * 2),
              deeper: (deep) => stepOf(deep, ran, '0.right/0.deeper/')('one', () => base * 3),
            }),
        })
        const sum = await stepOf(it, ran)('sum', () => both.left + both.right.deep)
        return { both, sum }
      }),
  },
  'a failure that is caught, and one that is not': {
    make: (ran) =>
      loopOf<string>(
        async (previous, it) => {
          const step = stepOf(it, ran)
          const caught = await step('fails', (): string => {
            throw new FaultError({ code: 'conflict', message: 'in a.ts', retryable: false })
          }).catch((error: unknown) => (error instanceof FaultError ? error.fault.code : 'other'))
          if (it.number === 2) await step('breaks', () => Promise.reject(new Error('badly')))
          return step('result', () => `${previous ?? ''} ${caught}${it.number}`)
        },
        { until: [{ type: 'max-iterations', iterations: 3 }] },
      ),
  },
  'sleep, large results and artifacts': {
    make: (ran) =>
      loopOf<unknown>(async (_context, it) => {
        const step = stepOf(it, ran)
        const large = await step('large', () => 'x'.repeat(70_000))
        await it.sleep('nap', 5000)
        const kept = await it.artifact('log', `seen ${large.length}`)
        return step('length', () => large.length + kept.bytes)
      }),
  },
  'a question that a person answers, and one without an answer': {
    make: (ran) =>
      loopOf<unknown>(async (_context, it) => {
        const who = await it.ask('who', { text: 'Who?', default: 'nobody', deadlineMs: 9000 })
        const what = await it.ask('what', { text: 'What?', default: 'nothing', deadlineMs: 9000 })
        return stepOf(it, ran)('both', () => [who.answer, what.answer])
      }),
    people: (world, run) =>
      world.decide(run, { type: 'answer', question: '1/ask:who#1', answer: 'ada' }),
  },
  'limits that are raised and a stop': {
    make: (ran) =>
      loopOf<number>(async (previous, it) => stepOf(it, ran)('count', () => (previous ?? 0) + 1), {
        until: [{ type: 'custom', name: 'four', met: (progress) => progress === 4 }],
      }),
    options: { limits: { iterations: 2 } },
    people: (world, run) => world.decide(run, { type: 'change-limits', limits: { iterations: 9 } }),
  },
}

/** What ran although it already had a result. */
function repeated(
  events: readonly RecordedEvent[],
  count: number,
  ran: readonly string[],
): string[] {
  const done = stepResults(events.slice(0, count))
  return ran.filter((id) => done.has(id.replace(/$/, '#1')))
}

describe('E2: a run resumed from any prefix of its journal ends as if it had not been interrupted', () => {
  test.each(Object.entries(cases))('%s', async (_name, { make, options, people }) => {
    const world = createWorld()
    const loop = make(
      () => undefined,
      () => world,
    )
    const run = await world.start(loop, options)
    await people?.(world, run)
    await world.finish(run, loop)
    const events = await world.events(run)
    const expected = await world.state(run)
    expect(expected.outcome).toBeDefined()
    for (const count of moments(events)) {
      const ran: string[] = []
      const later = await worldAfter(events, count, { blobs: world.blobs })
      await later.finish(
        run,
        make(
          (id) => ran.push(id),
          () => later,
        ),
      )
      const state = await later.state(run)
      expect(state.outcome).toEqual(expected.outcome)
      expect(state.progress).toEqual(expected.progress)
      expect(state.iteration).toBe(expected.iteration)
      expect(stepResults(await later.events(run))).toEqual(stepResults(events))
      expect(repeated(events, count, ran)).toEqual([])
      const seqs = (await later.events(run)).map(({ seq }) => seq)
      expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    }
  })

  test('also when it is killed again and again on the way', async () => {
    const world = createWorld()
    const make = cases['branches in branches']?.make ?? (() => loopOf<null>(async () => null))
    const loop = make(
      () => undefined,
      () => world,
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    const expected = await world.state(run)
    let events = (await world.events(run)).slice(0, 1)
    for (let kills = 0; kills < 100; kills++) {
      const later = await worldAfter(events, events.length)
      await later.finish(
        run,
        make(
          () => undefined,
          () => later,
        ),
      )
      const grown = await later.events(run)
      if (grown.length === events.length) break
      // It was killed seven events later than the last time.
      events = grown.slice(0, events.length + 7)
    }
    expect(events.at(-1)?.event).toMatchObject({ type: 'run-ended', outcome: expected.outcome })
    const steps = events.flatMap(({ event }) =>
      event.type === 'step-finished' ? [event.step] : [],
    )
    expect(new Set(steps).size).toBe(steps.length)
  })
})
