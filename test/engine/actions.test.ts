import { describe, expect, test } from 'vitest'
import { driveRun } from '../../src/engine/drive-run.ts'
import {
  type ActionLookup,
  type Actions,
  openQuestions,
  type Verdict,
} from '../../src/engine/index.ts'
import { type Action, type Receipt, type RunId, rateLimited } from '../../src/loop/index.ts'
import { createWorld, deferred, loopOf, until, type World, worldAfter } from './fixture.ts'

const merge: Action = { kind: 'merge', summary: 'Merge the branch', details: { branch: 'x' } }
const done: Receipt = { status: 'done', summary: 'merged' }
const acting = () => loopOf<unknown>(async (_context, it) => it.act(merge))
const gateThat = (verdict: Verdict) => ({ judge: async () => verdict })
const allow = gateThat({ type: 'allow' })

/** An executor that counts; the test says what it finds after a crash. */
function executor(
  found: ActionLookup = { type: 'unknown' },
  perform: Actions['perform'] = async () => done,
) {
  const performed: string[] = []
  const looked: string[] = []
  const actions: Actions = {
    async perform(action, key, context) {
      performed.push(key)
      return perform(action, key, context)
    },
    async find(_action, key) {
      looked.push(key)
      return found
    },
  }
  return { actions, performed, looked }
}

async function answer(world: World, run: RunId, text: string): Promise<void> {
  const [asked] = await openQuestions(world.journal, run)
  await world.decide(run, { type: 'answer', question: asked?.id ?? 'none', answer: text })
}

describe('E6: an action happens only after its gate allowed it', () => {
  test('allow: it is performed, with a key that identifies its position', async () => {
    const { actions, performed } = executor()
    const world = createWorld({ actions, gate: allow })
    const loop = acting()
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toEqual(done)
    expect(performed).toEqual([`${run}/1/action:merge#1`])
  })

  test.each<[string, object, string]>([
    ['deny', { gate: gateThat({ type: 'deny', reason: 'not on Fridays' }) }, 'not on Fridays'],
    ['no gate at all', {}, 'no gate is configured'],
  ])('%s: it is refused with the reason, and is not performed', async (_name, gate, reason) => {
    const { actions, performed } = executor()
    const world = createWorld({ actions, ...gate })
    const loop = acting()
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toEqual({ status: 'refused', summary: reason })
    expect(performed).toEqual([])
  })

  test.each([
    ['allow', 'done', 1],
    ['refuse', 'refused', 0],
  ])('ask: a person who answers %s decides', async (text, status, times) => {
    const { actions, performed } = executor()
    const world = createWorld({ actions, gate: gateThat({ type: 'ask', reason: 'first time' }) })
    const loop = acting()
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await world.clock.settle()
    const [asked] = await openQuestions(world.journal, run)
    expect(asked?.question).toMatchObject({
      text: 'Merge the branch\nfirst time',
      options: ['allow', 'refuse'],
      default: 'refuse',
    })
    await answer(world, run, text)
    await world.clock.pass(driving)
    expect((await world.state(run)).progress).toMatchObject({ status })
    expect(performed).toHaveLength(times)
  })

  test('ask: without an answer, it does not happen', async () => {
    const { actions, performed } = executor()
    const world = createWorld({ actions, gate: gateThat({ type: 'ask', reason: '' }) })
    const loop = acting()
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toMatchObject({ status: 'refused' })
    expect(performed).toEqual([])
  })

  test('without an executor, the run fails', async () => {
    const world = createWorld({ gate: allow })
    const loop = acting()
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({
      outcome: { type: 'failed', fault: { code: 'not-configured' } },
    })
  })

  test('that fails is not retried, even if its fault is retryable', async () => {
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
    const { actions, performed } = executor(undefined, () => Promise.reject(reset))
    const world = createWorld({ actions, gate: allow })
    const loop = acting()
    const run = await world.start(loop, { limits: { iterations: 1 } })
    await world.finish(run, loop)
    expect(performed).toHaveLength(1)
  })

  test('that a provider deferred is performed when its window opens', async () => {
    let refused = false
    const { actions, performed } = executor(undefined, async () => {
      if (refused) return done
      refused = true
      throw rateLimited('not now', world.clock.now() + 1000)
    })
    const world = createWorld({ actions, gate: allow })
    const loop = acting()
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(performed).toHaveLength(2)
    expect((await world.state(run)).progress).toEqual(done)
  })
})

/** The world after a kill in the middle of an action, for an executor that finds something. */
async function killedInAction(found: ActionLookup) {
  const first = executor()
  const world = createWorld({ actions: first.actions, gate: allow })
  const loop = acting()
  const run = await world.start(loop)
  await world.finish(run, loop)
  const events = await world.events(run)
  const began = events.findIndex(
    ({ event }) => event.type === 'step-started' && event.kind === 'action',
  )
  const second = executor(found)
  const later = await worldAfter(events, began + 1, { actions: second.actions, gate: allow })
  return { later, run, ...second }
}

describe('E6: an action that was in progress at a crash is never performed blindly', () => {
  test('it was done: its receipt is used', async () => {
    const { later, run, performed, looked } = await killedInAction({ type: 'done', receipt: done })
    await later.finish(run, acting())
    expect(performed).toEqual([])
    expect(looked).toEqual([`${run}/1/action:merge#1`])
    expect((await later.state(run)).progress).toEqual(done)
  })

  test('it was not done: it is performed under the same key', async () => {
    const { later, run, performed, looked } = await killedInAction({ type: 'not-done' })
    await later.finish(run, acting())
    expect(performed).toEqual(looked)
  })

  test.each([
    ['it happened', 'done', 0],
    ['leave it', 'skipped', 0],
    ['do it again', 'done', 1],
  ])('unknown: a person is asked, and answers: %s', async (text, status, times) => {
    const { later, run, performed } = await killedInAction({ type: 'unknown' })
    const driving = later.drive(run, acting())
    await later.clock.settle()
    const [asked] = await openQuestions(later.journal, run)
    expect(asked?.question.default).toBe('leave it')
    await answer(later, run, text)
    await later.clock.pass(driving)
    expect((await later.state(run)).progress).toMatchObject({ status })
    expect(performed).toHaveLength(times)
    // Its position differs, and so does its key.
    expect(performed.filter((key) => key === `${run}/1/action:merge#1`)).toEqual([])
  })

  test('killed at every moment, it is performed at most once, and asked about where necessary', async () => {
    const outside = new Set<string>()
    const first = executor(undefined, async (_action, key) => {
      outside.add(key)
      return done
    })
    const world = createWorld({ actions: first.actions, gate: allow })
    const run = await world.start(acting())
    await world.finish(run, acting())
    const events = await world.events(run)
    for (let count = 1; count <= events.length; count++) {
      const wasPerformed = events
        .slice(0, count)
        .some(({ event }) => event.type === 'step-started' && event.kind === 'action')
      const again = executor(wasPerformed ? { type: 'done', receipt: done } : { type: 'not-done' })
      const later = await worldAfter(events, count, { actions: again.actions, gate: allow })
      await later.finish(run, acting())
      expect(again.performed).toHaveLength(wasPerformed ? 0 : 1)
      expect((await later.state(run)).progress).toEqual(done)
    }
  })

  test('an action that was abandoned at a shutdown is looked for, not repeated', async () => {
    const hold = deferred<Receipt>()
    const { actions, performed, looked } = executor(
      { type: 'done', receipt: done },
      () => hold.promise,
    )
    const world = createWorld({ actions, gate: allow })
    const loop = acting()
    const stop = new AbortController()
    const run = await world.start(loop)
    const driving = driveRun(run, loop, world.ports, {
      owner: 'me',
      signal: stop.signal,
      graceMs: 0,
    })
    await until(() => performed.length === 1)
    stop.abort()
    await world.clock.pass(driving)
    await world.finish(run, loop)
    expect(performed).toHaveLength(1)
    expect(looked).toHaveLength(1)
    expect((await world.state(run)).progress).toEqual(done)
  })
})

test('E6: an iteration that is restarted by force does not repeat its actions', async () => {
  const { actions, performed } = executor({ type: 'done', receipt: done })
  const world = createWorld({ actions, gate: allow })
  const stop = new AbortController()
  const make = (version: string) =>
    loopOf<unknown>(
      async (_context, it) => {
        const receipt = await it.act(merge)
        await it.step('stop', () => (version === '1' ? stop.abort() : undefined))
        await it.step('rest', () => undefined)
        return receipt
      },
      { version },
    )
  const run = await world.start(make('1'))
  await world.finish(run, make('1'), { signal: stop.signal })
  await world.finish(run, make('2'), { force: true })
  expect(performed).toHaveLength(1)
  expect((await world.state(run)).progress).toEqual(done)
})

describe('an action that ended with an error', () => {
  const broken = async (): Promise<Receipt> => {
    throw new Error('socket hang up')
  }

  test('and that its executor finds done is done, and not performed again', async () => {
    const { actions, performed, looked } = executor({ type: 'done', receipt: done }, broken)
    const world = createWorld({ actions, gate: allow })
    const loop = acting()
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toEqual(done)
    expect(performed).toHaveLength(1)
    expect(looked).toEqual(performed)
  })

  test('and whose result is unknown becomes a question, and is never simply retried', async () => {
    const { actions, performed } = executor({ type: 'unknown' }, broken)
    const world = createWorld({ actions, gate: allow })
    const loop = acting()
    const run = await world.start(loop)
    const driving = world.finish(run, loop)
    let asking = 0
    while (asking === 0) {
      await new Promise((resolve) => setImmediate(resolve))
      asking = (await openQuestions(world.journal, run)).length
    }
    await answer(world, run, 'leave it')
    await driving
    expect((await world.state(run)).progress).toMatchObject({ status: 'skipped' })
    expect(performed).toHaveLength(1)
  })
})
