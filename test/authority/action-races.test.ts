// F16. Races and crashes around an action: exactly one is performed, and an unknown result asks.

import { describe, expect, test } from 'vitest'
import { type Actions, actIdle, openQuestions } from '../../src/engine/index.ts'
import { type Action, isLoopError, LoopError, type RunId } from '../../src/loop/index.ts'
import { createWorld, loopOf, worldAfter } from '../engine/fixture.ts'
import { share } from '../share.ts'

const merge: Action = { kind: 'merge', summary: 'Merge the branch', details: { into: 'main' } }
const cases = share(500, 25)

/** Numbers from a seed, so that a failure can be repeated. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Fate = 'works' | 'dies before' | 'dies after' | 'answer lost' | 'refused'
const fates: readonly Fate[] = ['works', 'dies before', 'dies after', 'answer lost', 'refused']

/** The outside world: what was really performed. */
function createOutside(knows: boolean) {
  const performed: string[] = []
  const executor = (fate: Fate): Actions => ({
    async perform(_action, key) {
      await new Promise((resolve) => setImmediate(resolve))
      // As after kill -9: nothing more of this process is written.
      if (fate === 'dies before') throw new LoopError('fenced', 'killed')
      if (fate === 'refused') throw new LoopError('bad-request', 'refused')
      performed.push(key)
      if (fate === 'dies after') throw new LoopError('fenced', 'killed')
      if (fate === 'answer lost') throw new Error('connection reset')
      return { status: 'done', summary: 'merged' }
    },
    find: async (_action, key) => {
      if (!knows) return { type: 'unknown' }
      return performed.includes(key)
        ? { type: 'done', receipt: { status: 'done', summary: 'found' } }
        : { type: 'not-done' }
    },
  })
  return { performed, executor }
}

const instant = { now: () => Date.now(), sleep: (_ms: number, signal?: unknown) => wait(signal) }

function wait(signal: unknown): Promise<void> {
  const isRenewal = signal instanceof AbortSignal
  return isRenewal ? new Promise(() => undefined) : new Promise((resolve) => setImmediate(resolve))
}

describe('people who request the same action at the same time', () => {
  test.each(Array.from({ length: cases }, (_, index) => [index]))('case %i', async (seed) => {
    const random = numbersFrom(seed)
    const knows = random(3) > 0
    const outside = createOutside(knows)
    const world = createWorld()
    const loop = loopOf<unknown>(async () => 1)
    const run = await world.start(loop, { limits: { iterations: 1 } })
    await world.finish(run, loop)
    const ports = { journal: world.journal, clock: { ...world.clock, ...instant } }
    const attempt = (owner: string, fate: Fate): Promise<unknown> =>
      actIdle(run, ports, owner, {
        action: merge,
        actions: outside.executor(fate),
        by: owner,
      }).then(
        () => 'done',
        (error: unknown) => error,
      )
    const racers = Array.from({ length: 2 + random(3) }, (_, index) =>
      attempt(`racer-${index}`, fates[random(fates.length)] ?? 'works'),
    )
    await Promise.all(racers)
    const last = await attempt('last', 'works')
    // Unknown: at most once, and otherwise the person is told what to do.
    expect(String(last)).toMatch(knows ? /^done$/ : /^done$|--happened/)
    expect(outside.performed.length).toBeGreaterThanOrEqual(knows ? 1 : 0)
    expect(outside.performed.length).toBeLessThanOrEqual(1)
    const recorded = await world.only(run, 'action-recorded')
    expect(recorded.filter(({ status }) => status === 'done').length).toBeLessThanOrEqual(1)
  })
})

describe('a run that dies around its action', () => {
  const acting = () => loopOf<unknown>(async (_context, it) => it.act(merge))
  const gate = { judge: async () => ({ type: 'allow' as const }) }

  test.each(Array.from({ length: cases }, (_, index) => [index]))('case %i', async (seed) => {
    const random = numbersFrom(seed + 7919)
    const knows = random(3) > 0
    const outside = createOutside(knows)
    const loop = acting()
    const before = createWorld({ gate, actions: outside.executor('works') })
    const limits = { limits: { iterations: 1 } }
    const run = await before.start(loop, limits)
    await before.finish(run, loop)
    const events = await before.events(run)
    // Killed after any event; the effect may have happened if its intent was written.
    const count = 2 + random(events.length - 2)
    const intent = events.findIndex(
      ({ event }) => event.type === 'step-started' && event.kind === 'action',
    )
    const end = events.findIndex(
      ({ event }) => event.type === 'step-finished' && event.kind === 'action',
    )
    const happened = count > end || (count > intent && random(2) === 0)
    if (!happened) outside.performed.length = 0
    const after = await worldAfter(events, count, { gate, actions: outside.executor('works') })
    const driving = after.drive(run, loop)
    await after.clock.settle()
    const wasAsked = (await openQuestions(after.journal, run)).length > 0
    expect(wasAsked).toBe(!knows && count > intent && count <= end)
    if (wasAsked) await answerTruly(after, run, happened)
    await after.clock.pass(driving)
    expect(outside.performed).toHaveLength(1)
  })
})

async function answerTruly(
  world: Awaited<ReturnType<typeof worldAfter>>,
  run: RunId,
  happened: boolean,
): Promise<void> {
  const [asked] = await openQuestions(world.journal, run)
  const answer = happened ? 'it happened' : 'do it again'
  await world.decide(run, { type: 'answer', question: asked?.id ?? 'none', answer })
}

test('the outside world really fails in every way', async () => {
  const { executor } = createOutside(true)
  const results = await Promise.all(
    fates.map((fate) =>
      executor(fate)
        .perform(merge, fate, undefined as never)
        .then(
          () => 'done',
          (error: unknown) => (isLoopError(error) ? error.code : 'unknown'),
        ),
    ),
  )
  expect(results).toEqual(['done', 'fenced', 'fenced', 'unknown', 'bad-request'])
})
