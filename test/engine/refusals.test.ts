// What random loops and reviews found about refusals, aborts and failing disks: one test for each,
// named after the behavior that holds now.

import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Journal, Ports } from '../../src/engine/index.ts'
import { FaultError, LoopError, rateLimited } from '../../src/loop/index.ts'
import { memoryBlobs } from '../../src/testing/memory-blobs.ts'
import { createWorld, deferred, loopOf, memoryWorkspace } from './fixture.ts'

const withJournal = (ports: Ports, change: (journal: Journal) => Partial<Journal>): Ports => ({
  ...ports,
  journal: { ...ports.journal, ...change(ports.journal) },
})

test('E2: a disk failure after the last step suspends the run; resumed, it ends as if nothing had happened', async () => {
  const workspace = memoryWorkspace()
  let looks = 0
  const failing = {
    ...workspace,
    async snapshot() {
      // The first is the start of the iteration, the second comes after the sleep.
      if (++looks === 2) throw new LoopError('workspace-failed', 'The disk failed.')
      return workspace.snapshot()
    },
  }
  const world = createWorld({ workspace: failing })
  const loop = loopOf<string>(async (_context, it) => {
    await it.sleep('wait', 10)
    return 'made'
  })
  const run = await world.start(loop)
  await expect(world.finish(run, loop)).rejects.toThrow('The disk failed.')
  expect((await world.state(run)).status).toBe('suspended')
  expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'exhausted' } })
  expect((await world.state(run)).progress).toBe('made')
})

test('E2: a value that a step returns after an abort is not its result', async () => {
  const world = createWorld()
  const stop = new AbortController()
  const began = deferred()
  const loop = loopOf<string>((_context, it) =>
    it.step('work', async ({ signal }) => {
      began.resolve()
      if (stop.signal.aborted) return 'whole'
      await world.clock.sleep(60_000, signal).catch(() => undefined)
      return 'half'
    }),
  )
  const run = await world.start(loop)
  const driving = world.drive(run, loop, { signal: stop.signal, graceMs: 0 })
  await began.promise
  stop.abort()
  expect(await world.clock.pass(driving)).toMatchObject({ type: 'suspended' })
  expect(await world.only(run, 'step-finished')).toEqual([])
  expect(await world.only(run, 'step-interrupted')).toHaveLength(1)
  await world.finish(run, loop)
  expect((await world.state(run)).progress).toBe('whole')
})

test('E11: an action that ends after an abort keeps its receipt', async () => {
  const stop = new AbortController()
  const began = deferred()
  let performed = 0
  const world = createWorld({
    gate: { judge: async () => ({ type: 'allow' }) },
    actions: {
      async perform(_action, _key, { signal }) {
        performed++
        began.resolve()
        await world.clock.sleep(60_000, signal).catch(() => undefined)
        return { status: 'done', summary: 'sent' }
      },
      find: async () => ({ type: 'unknown' }),
    },
  })
  const loop = loopOf<string>(async (_context, it) => {
    const receipt = await it.act({ kind: 'mail', summary: 'send it' })
    return receipt.status
  })
  const run = await world.start(loop)
  const driving = world.drive(run, loop, { signal: stop.signal, graceMs: 0 })
  await began.promise
  stop.abort()
  await world.clock.pass(driving)
  expect((await world.state(run)).progress).toBe('done')
  expect(performed).toBe(1)
})

test('E9: a decision that could not be read at first is read again', async () => {
  const world = createWorld()
  const loop = loopOf<string>(
    async (_context, it) => (await it.ask('which', { text: '?', default: 'a' })).answer,
  )
  const run = await world.start(loop)
  let failures = 0
  const ports = withJournal(world.ports, (journal) => ({
    async pendingDecisions(of) {
      const pending = await journal.pendingDecisions(of)
      if (pending.length > 0 && ++failures <= 2) throw new LoopError('store-failed', 'busy')
      return pending
    },
  }))
  const driving = createWorld(ports).drive(run, loop)
  await world.clock.settle()
  const id = `1/ask:which#1`
  await world.decide(run, { type: 'answer', question: id, answer: 'b' })
  await world.clock.settle()
  await world.clock.advance(10_000)
  expect(await driving).toMatchObject({ type: 'ended' })
  expect((await world.state(run)).progress).toBe('b')
  expect(failures).toBeGreaterThan(2)
})

test('E2: a refusal does not overtake results that the journal has', async () => {
  const blobs = memoryBlobs()
  const slow: Ports['blobs'] = {
    ...blobs,
    async get(blob) {
      await world.clock.sleep(100)
      return blobs.get(blob)
    },
  }
  const world = createWorld({ blobs: slow })
  const asked = deferred()
  let attempts = 0
  const loop = loopOf<string>(async (_context, it) => {
    const large = it.step('large', () => 'x'.repeat(70_000), { readOnly: true })
    const failing = it.step('fails', () => Promise.reject(new Error('never')), { readOnly: true })
    const limited = it.step('limited', async () => {
      if (++attempts === 1) await asked.promise
      if (attempts <= 2) throw rateLimited('slow down', world.clock.now() + 1000)
    })
    const later = it.sleep('later', 200)
    // The first to fail decides what is requested next.
    const all = Promise.all([large, failing, limited, later])
    const first = await all.catch((error: unknown) => error)
    if (!(first instanceof FaultError)) throw first
    const next = await it.step('goes on', () => 'on', { readOnly: true })
    await later
    asked.resolve()
    await limited
    return next
  })
  const run = await world.start(loop)
  expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'exhausted' } })
  expect((await world.state(run)).progress).toBe('on')
  expect(attempts).toBe(3)
})

test('a run that is cancelled while its files cannot be read ends, and reports it', async () => {
  const workspace = memoryWorkspace({ a: '1' })
  let isBroken = false
  const failing = {
    ...workspace,
    async snapshot() {
      if (isBroken) throw new LoopError('workspace-failed', 'The disk failed.')
      return workspace.snapshot()
    },
  }
  const world = createWorld({ workspace: failing })
  const loop = loopOf<null>(async (_context, it) => {
    await it.step('half', async ({ signal }) => {
      workspace.files.set('a', 'half')
      isBroken = true
      await world.decide(run, { type: 'cancel', reason: 'wrong' })
      await world.clock.sleep(1000, signal)
    })
    return null
  })
  const run = await world.start(loop)
  expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'cancelled' } })
  expect(await world.only(run, 'warning')).toMatchObject([{ code: 'files-unknown' }])
})

test('E9: a cancel is not delayed by results that abandoned code never requests', async () => {
  const world = createWorld()
  let visits = 0
  const loop = loopOf<null>(async (_context, it) => {
    const visit = ++visits
    await it.parallel({
      left: (inner) =>
        inner.step('stubborn', () => (visit === 1 ? Promise.reject(limited()) : never), {
          readOnly: true,
        }),
      right: async (inner) => {
        // Work that is not a step, and does not end the second time.
        if (visit > 1) await never
        await inner.step('recorded', () => 'x', { readOnly: true })
      },
    })
    return null
  })
  const never = new Promise<never>(() => undefined)
  const limited = (): FaultError => rateLimited('slow down', world.clock.now() + 1000)
  const run = await world.start(loop)
  const driving = world.drive(run, loop)
  await world.clock.advance(1500)
  expect(visits).toBe(2)
  await world.decide(run, { type: 'cancel', reason: 'enough' })
  await world.clock.settle()
  await world.clock.advance(6000)
  expect(await driving).toMatchObject({ type: 'ended', outcome: { type: 'cancelled' } })
  expect(world.clock.alarms).toEqual([])
})

test("a loop's own error with a code of ours fails the run, and does not suspend it", async () => {
  const world = createWorld()
  const loop = loopOf<null>(() => Promise.reject(new LoopError('workspace-failed', 'its own word')))
  const run = await world.start(loop)
  expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'failed' } })
})

test('E6: an action does not start after a cancel that arrived during a hook', async () => {
  let performed = 0
  const world = createWorld({
    gate: { judge: async () => ({ type: 'allow' }) },
    actions: {
      async perform() {
        performed++
        return { status: 'done', summary: 'sent' }
      },
      find: async () => ({ type: 'not-done' }),
    },
    hooks: [
      {
        name: 'slow',
        points: ['before-step'],
        blocking: true,
        async run({ step }) {
          if (step?.startsWith('action:') !== true) return
          await world.decide(run, { type: 'cancel', reason: 'wrong' })
          await world.clock.sleep(10)
        },
      },
    ],
  })
  const loop = loopOf<string>(
    async (_context, it) => (await it.act({ kind: 'mail', summary: 'send it' })).status,
  )
  const run = await world.start(loop)
  expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'cancelled' } })
  expect(performed).toBe(0)
})

test('a sleep that is not awaited does not end the process when the run is cancelled', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  const world = createWorld()
  const loop = loopOf<null>(async (_context, it) => {
    void it.sleep('later', 60_000)
    void it.ask('which', { text: '?', default: 'a' })
    await it.step('cancel', () => world.decide(run, { type: 'cancel', reason: 'enough' }))
    await it.step('more', () => undefined)
    return null
  })
  const run = await world.start(loop)
  expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'cancelled' } })
  await delay(1)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
