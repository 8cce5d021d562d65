// E10: a process that lost its run cannot move a ref, while it drives the run and after its end.

import { expect, test } from 'vitest'
import { actIdle } from '../../src/engine/act-idle.ts'
import type { Actions, Lease, Store } from '../../src/engine/index.ts'
import { openLocalStore } from '../../src/testing/open-local-store.ts'
import { createWorld, loopOf } from './fixture.ts'

const merge = { kind: 'merge', summary: 'Merge' }
const acting = loopOf(async (_previous, it) => {
  await it.act(merge)
  return 1
})

/** A store whose runs a second owner can take over, as after a long pause of the first one. */
function openContested() {
  const store = openLocalStore({ path: ':memory:', now: () => 0 })
  let held: Lease | undefined
  const journal: Store = {
    ...store,
    acquire: async (run, owner) => (held = await store.acquire(run, owner)),
    acquireIdle: async (run, owner) => (held = await store.acquireIdle(run, owner)),
  }
  const takeOver = async (take: 'acquire' | 'acquireIdle'): Promise<void> => {
    if (held === undefined) throw new Error('no owner')
    await store.release(held)
    await store[take](held.run, 'two')
  }
  return { journal, takeOver }
}

/** Moves a ref as executors do. `before`: what happens in the meantime. */
function createExecutor(before: () => Promise<void>) {
  const moved: string[] = []
  const actions: Actions = {
    async perform(_action, key, context) {
      await before()
      await context.fence()
      moved.push(key)
      return { status: 'done', summary: 'moved' }
    },
    find: async () => ({ type: 'not-done' }),
  }
  return { moved, actions }
}

const gate = { judge: async () => ({ type: 'allow' as const }) }

test('while it drives the run', async () => {
  const { journal, takeOver } = openContested()
  const stale = createExecutor(() => takeOver('acquire'))
  const world = createWorld({ journal, gate, actions: stale.actions })
  const id = await world.start(acting)
  await world.finish(id, acting).catch(() => undefined)
  expect(stale.moved).toEqual([])
  expect((await journal.read(id)).map(({ event }) => event.type)).not.toContain('run-ended')
})

test('after its end, and the owner itself can', async () => {
  const { journal, takeOver } = openContested()
  const driven = createExecutor(async () => undefined)
  const world = createWorld({ journal, gate, actions: driven.actions })
  const id = await world.start(acting)
  await world.finish(id, acting)
  expect(driven.moved).toHaveLength(1)
  const ports = { journal, clock: world.clock }
  const stale = createExecutor(() => takeOver('acquireIdle'))
  const request = { action: merge, actions: stale.actions, by: 'ada' }
  await expect(actIdle(id, ports, 'one', request)).rejects.toMatchObject({ code: 'fenced' })
  expect(stale.moved).toEqual([])
})
