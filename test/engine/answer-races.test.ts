// E11, by chance: two people, the deadline, two processes and kills around one answer. Exactly one answer is applied, and
// everything that depends on it agrees.

import { expect, test } from 'vitest'
import { isLoopError, type RunId } from '../../src/loop/index.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { share } from '../share.ts'
import { createWorld, loopOf, type World, worldAfter } from './fixture.ts'

const deadlineMs = 1000
const options = ['red', 'blue', 'none']

const asking = loopOf<string>(async (_previous, it) => {
  const given = await it.ask('color', {
    text: 'Which?',
    options,
    default: 'none',
    deadlineMs,
    kinds: { accept: 'red', reject: 'blue', respond: 'none' },
  })
  return `${given.answer} ${given.by} ${given.who ?? ''}`
})

interface Attempt {
  readonly by: string
  readonly answer: string
  readonly atMs: number
}

/** True if this answer was recorded. */
async function answer(world: World, run: RunId, { by, answer: text }: Attempt): Promise<boolean> {
  const decision = { type: 'answer', question: '1/ask:color#1', answer: text } as const
  try {
    await world.decide(run, decision, by)
    return true
  } catch (error) {
    if (isLoopError(error, 'already-answered') || isLoopError(error, 'wrong-status')) return false
    throw error
  }
}

/** Which of them win is decided by the seed: the order, the moment, and who is killed. */
async function race(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const world = createWorld()
  const run = await world.start(asking)
  const people: readonly Attempt[] = [
    { by: 'ada', answer: 'red', atMs: random.between(0, 2 * deadlineMs) },
    { by: 'bob', answer: 'blue', atMs: random.between(0, 2 * deadlineMs) },
  ]
  const attempts = people.map(async (one) => {
    await world.clock.sleep(one.atMs)
    return (await answer(world, run, one)) ? [one] : []
  })
  const stop = new AbortController()
  if (random.chance(0.4)) {
    void world.clock.sleep(random.between(0, 2 * deadlineMs)).then(() => stop.abort())
  }
  const second = random.chance(0.5)
  const drives = [
    world.drive(run, asking, { signal: stop.signal, graceMs: 0 }),
    ...(second ? [world.drive(run, asking, { owner: 'another' })] : []),
  ]
  await world.clock.pass(Promise.allSettled([...drives, ...attempts]))
  await world.finish(run, asking).catch(() => undefined)
  await expectOne(world, run, (await Promise.all(attempts)).flat())
  // Killed after any of its events: what follows is the same answer.
  const events = await world.events(run)
  const at = random.between(1, events.length - 1)
  const isInUnit = events[at - 1]?.event.type === 'decision-applied'
  const later = await worldAfter(events, isInUnit ? at - 1 : at, { blobs: world.blobs })
  const wasDefault = events.some(
    ({ event }) => event.type === 'decision-applied' && event.by === 'default',
  )
  await later.finish(run, asking)
  await expectOne(later, run, wasDefault ? [] : (await Promise.all(attempts)).flat())
  expect((await later.state(run)).progress).toBe((await world.state(run)).progress)
}

async function expectOne(world: World, run: RunId, recorded: readonly Attempt[]): Promise<void> {
  const applied = await world.only(run, 'decision-applied')
  const finished = (await world.only(run, 'step-finished')).filter(({ kind }) => kind === 'ask')
  expect([applied.length, finished.length]).toEqual([1, 1])
  const [one] = applied
  const chosen = one?.decision.type === 'answer' ? one.decision.answer : ''
  const [winner, ...others] = recorded
  expect(others).toEqual([])
  expect([one?.by, chosen]).toEqual(
    winner === undefined ? ['default', 'none'] : [winner.by, winner.answer],
  )
  const who = winner === undefined ? 'default ' : `person ${winner.by}`
  expect((await world.state(run)).progress).toBe(`${chosen} ${who}`)
}

const rounds = share(1000, 60)

test(`exactly one answer is applied in ${rounds} races and crashes`, async () => {
  expect.hasAssertions()
  for (let seed = 1; seed <= rounds; seed++) await race(seed)
})
