// What random loops under crashes found about results, order and files (see proof/simulator): one
// test for each, named after the behavior that holds now.

import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Journal, Ports } from '../../src/engine/index.ts'
import { evolve, FaultError, LoopError, rateLimited } from '../../src/loop/index.ts'
import { createWorld, deferred, loopOf, memoryWorkspace, worldAfter } from './fixture.ts'

const withJournal = (ports: Ports, change: (journal: Journal) => Partial<Journal>): Ports => ({
  ...ports,
  journal: { ...ports.journal, ...change(ports.journal) },
})

describe('E2: results are delivered in the order of the journal', () => {
  test('even if a hook after one of them is slow', async () => {
    const world = createWorld()
    const hooks: Ports['hooks'] = [
      {
        name: 'slow after a',
        points: ['after-step'],
        blocking: true,
        run: ({ step }) => (step?.includes('/a#') ? world.clock.sleep(1000) : undefined),
      },
    ]
    const seen: string[] = []
    const loop = loopOf<null>(async (_context, it) => {
      const one = (name: string, ms: number) => async (branch: typeof it) => {
        await branch.step(name, () => world.clock.sleep(ms), { readOnly: true })
        seen.push(name)
      }
      await it.parallel({ a: one('a', 10), b: one('b', 20) })
      return null
    })
    const slow = createWorld({ ...world.ports, hooks })
    const run = await slow.start(loop)
    await world.clock.pass(slow.drive(run, loop))
    expect(seen).toEqual(['a', 'b'])
  })

  test('even if they end in one commit and in different ways', async () => {
    const world = createWorld()
    const gate = deferred()
    const seen: string[] = []
    const loop = loopOf<null>(async (_context, it) => {
      const note = (name: string) => (): void => void seen.push(name)
      const fails = it.step('a', () => gate.promise.then(() => Promise.reject(new Error('no'))), {
        readOnly: true,
      })
      const works = it.step('b', () => gate.promise, { readOnly: true })
      const keeps = it.artifact('c', 'content')
      await Promise.all([fails.catch(note('a')), works.then(note('b')), keeps.then(note('c'))])
      return null
    })
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await world.clock.settle()
    gate.resolve()
    await world.clock.pass(driving)
    const ended = (await world.events(run)).flatMap(({ event }) =>
      event.type === 'step-finished' || event.type === 'step-failed' ? [event.step] : [],
    )
    expect(seen).toEqual(ended.map((step) => step.replace(/^.*:|#.*$/g, '')))
  })
})

test('E2: an attempt that was interrupted by a crash does not count as failed', async () => {
  let failures = 0
  const loop = loopOf<string>((_context, it) =>
    it.step(
      'flaky',
      () => {
        if (failures++ < 2) {
          throw new FaultError({ code: 'flaky', message: 'not yet', retryable: true })
        }
        return 'well'
      },
      { retry: { attempts: 3 } },
    ),
  )
  const world = createWorld()
  const run = await world.start(loop)
  await world.finish(run, loop)
  const started = (await world.events(run)).findIndex(({ event }) => event.type === 'step-started')
  const later = await worldAfter(await world.events(run), started + 1)
  failures = 0
  await later.finish(run, loop)
  expect((await later.state(run)).progress).toBe('well')
})

test('E2: files of an attempt that a provider deferred are restored before the next', async () => {
  const workspace = memoryWorkspace()
  const world = createWorld({ workspace })
  let calls = 0
  const loop = loopOf<null>(async (_context, it) => {
    await it.step('write', () => {
      workspace.files.set('a', `${workspace.files.get('a') ?? ''}x`)
      if (calls++ === 0) throw rateLimited('later', world.clock.now() + 1000)
    })
    return null
  })
  const run = await world.start(loop)
  await world.finish(run, loop)
  expect(workspace.files.get('a')).toBe('x')
  const [first, second] = await world.only(run, 'step-started')
  expect(second?.tree).toBe(first?.tree)
})

test('E1: nothing is written after a unit that failed, even if no caller waited for it', async () => {
  const world = createWorld()
  const loop = loopOf<null>(async () => {
    await world.clock.sleep(5)
    return null
  })
  const run = await world.start(loop)
  let failed = false
  const ports = withJournal(world.ports, (journal) => ({
    append(lease, unit) {
      if (failed || !unit.events.some(({ type }) => type === 'iteration-started')) {
        return journal.append(lease, unit)
      }
      failed = true
      return world.clock.sleep(5).then(() => Promise.reject(new LoopError('store-failed', 'EIO')))
    },
  }))
  const driving = createWorld(ports).drive(run, loop)
  await expect(world.clock.pass(driving)).rejects.toMatchObject({ code: 'store-failed' })
  await world.finish(run, loop)
  const seqs = (await world.events(run)).map(({ seq }) => seq)
  expect(seqs).toEqual(seqs.map((_seq, index) => index + 1))
})

test('E2: steps that the code did not wait for end before their iteration does', async () => {
  const world = createWorld()
  const loop = loopOf<null>(async (_context, it) => {
    await Promise.all([
      it.step('fails', () => Promise.reject(new Error('no')), { readOnly: true }),
      it.step('slow', () => world.clock.sleep(1000), { readOnly: true }),
    ])
    return null
  })
  const run = await world.start(loop, { limits: { iterations: 1 } })
  await world.finish(run, loop)
  const types = (await world.events(run)).map(({ event }) => event.type)
  expect(types.slice(-3)).toEqual(['step-finished', 'iteration-ended', 'run-ended'])
})

test('E2: code that swallows a disk failure starts nothing afterwards', async () => {
  const workspace = memoryWorkspace()
  let failing = true
  const fragile = {
    ...workspace,
    async snapshot() {
      if (failing && workspace.files.has('a')) throw new LoopError('workspace-failed', 'EIO')
      return workspace.snapshot()
    },
  }
  const world = createWorld({ workspace: fragile })
  const loop = loopOf<string>(async (_context, it) => {
    try {
      await it.step('write', () => void workspace.files.set('a', '1'))
      return await it.step('well', () => 'well')
    } catch {
      return it.step('badly', () => 'badly')
    }
  })
  const run = await world.start(loop)
  await expect(world.finish(run, loop)).rejects.toMatchObject({ code: 'workspace-failed' })
  failing = false
  await world.finish(run, loop)
  expect((await world.state(run)).progress).toBe('well')
})

test('E2: files that a person changed during a pause are kept, even if the resuming process died', async () => {
  const workspace = memoryWorkspace({ a: '1' })
  const world = createWorld({ workspace })
  const loop = loopOf<null>(async (_context, it) => {
    await it.step('first', async () => {
      await world.decide(run, { type: 'pause' })
      await delay(1)
    })
    await it.step('second', () => undefined)
    return null
  })
  const run = await world.start(loop)
  await world.finish(run, loop)
  expect((await world.state(run)).status).toBe('paused')
  workspace.files.set('a', 'mine')
  const lease = await world.journal.acquire(run, 'short-lived')
  const state = await world.state(run)
  const started = { type: 'run-started', owner: 'short-lived', fence: lease.fence } as const
  const [seq, atMs] = [state.seq + 1, world.clock.now()]
  await world.journal.append(lease, {
    firstSeq: seq,
    atMs,
    events: [started],
    state: evolve(state, { seq, atMs, event: started }),
    boundary: undefined,
    blobs: [],
    trees: [],
  })
  await world.journal.release(lease)
  await world.decide(run, { type: 'resume' })
  await world.finish(run, loop)
  expect(workspace.files.get('a')).toBe('mine')
})

test('E2: a step that a disk failure prevented from starting is not overtaken by the next one', async () => {
  const workspace = memoryWorkspace()
  let looks = 0
  const fragile = {
    ...workspace,
    async snapshot() {
      if (++looks === 2) throw new LoopError('workspace-failed', 'EIO')
      return workspace.snapshot()
    },
  }
  const world = createWorld({ workspace: fragile })
  const loop = loopOf<string>(async (_context, it) => {
    // After a wait the files are read before a step starts on them.
    await it.sleep('nap', 1)
    const both = [it.step('first', () => 'a'), it.step('second', () => 'b', { readOnly: true })]
    return (await Promise.all(both)).join('')
  })
  const run = await world.start(loop)
  await expect(world.finish(run, loop)).rejects.toMatchObject({ code: 'workspace-failed' })
  await world.finish(run, loop)
  expect((await world.state(run)).progress).toBe('ab')
})

test('E2: a reservation with an invalid amount is not journaled', async () => {
  const world = createWorld()
  const loop = loopOf<string>(async (_context, it) => {
    const bad = it.step('bad', () => '', { reserve: { tokens: -1, costMicros: 0 } })
    await bad.catch(() => undefined)
    return it.step('well', () => 'well')
  })
  const run = await world.start(loop)
  await world.finish(run, loop)
  const events = await world.events(run)
  const later = await worldAfter(events, events.length - 2)
  await later.finish(run, loop)
  expect((await later.state(run)).progress).toBe('well')
})
