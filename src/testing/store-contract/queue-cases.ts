/** The queue, and the keys of the requests that created runs. */

import assert from 'node:assert/strict'
import type { NewQueueRow, NewRun, Store } from '../../engine/index.ts'
import { defaultLimits, type RunId } from '../../loop/index.ts'
import { writeRun } from '../write-run.ts'
import { ended, refuses, type StoreCase, started } from './store-case.ts'

const row = (fields: Partial<NewQueueRow> = {}): NewQueueRow => ({
  priority: 0,
  queuedAtMs: 1,
  request: { attended: true, list: [1, null] },
  tries: 0,
  ...fields,
})

const newRun = (name: string): NewRun => ({
  id: `id-${name}` as RunId,
  name,
  loop: 'written',
  workspace: '/trees/x',
  atMs: 1000,
  event: {
    type: 'run-created',
    eventVersion: 1,
    loop: 'written',
    codeDigest: 'digest',
    limits: defaultLimits,
  },
  blobs: [],
  trees: [],
})

const dayMs = 24 * 60 * 60 * 1000

const queued = async (store: Store): Promise<readonly string[]> =>
  (await store.queue.list()).map(({ name }) => name)

export const queueCases: readonly StoreCase[] = [
  {
    name: 'Q1: creates a run, its row in the queue and the key of its request together',
    async play(store, scene) {
      const given = row({
        priority: 5,
        by: 'ada',
        workspace: '/shop',
        retryAtMs: 9,
        why: 'no disk',
      })
      await store.queue.create(newRun('otter'), given, { key: 'k', digest: 'd' })
      const run = 'id-otter' as RunId
      const other = scene.open()
      const expected = { ...given, run, name: 'otter', status: 'pending', place: '/trees/x' }
      assert.deepEqual(await other.queue.row(run), expected)
      assert.deepEqual(await other.queue.list(), [expected])
      assert.deepEqual({ ...(await other.queue.request('k')) }, { key: 'k', digest: 'd', run })
      assert.equal((await other.read(run)).length, 1)
    },
  },
  {
    name: 'Q1: keeps nothing of a request whose key or name is taken',
    async play(store) {
      await store.queue.create(newRun('otter'), row(), { key: 'k', digest: 'd' })
      const again = store.queue.create(newRun('owl'), row(), { key: 'k', digest: 'd' })
      await refuses(again, 'key-reused')
      const taken = store.queue.create(newRun('otter'), row(), { key: 'l', digest: 'd' })
      await refuses(taken, 'name-taken')
      assert.equal((await store.listRuns()).length, 1)
      assert.deepEqual(await queued(store), ['otter'])
      assert.equal(await store.queue.request('l'), undefined)
    },
  },
  {
    name: 'Q2: forgets the key of a request after a day',
    async play(store, scene) {
      await store.queue.create(newRun('otter'), row(), { key: 'k', digest: 'd' })
      await scene.advance(dayMs - 1000)
      assert.equal((await store.queue.request('k'))?.run, 'id-otter')
      await scene.advance(2000)
      assert.equal(await store.queue.request('k'), undefined)
      await store.queue.create(newRun('owl'), row(), { key: 'k', digest: 'e' })
      assert.equal((await store.queue.request('k'))?.run, 'id-owl')
    },
  },
  {
    name: 'forgets the key of a request when its run is removed',
    async play(store) {
      await store.queue.create(newRun('otter'), row(), { key: 'k', digest: 'd' })
      await store.removeRun('id-otter' as RunId, { force: true })
      assert.equal(await store.queue.request('k'), undefined)
      await store.queue.create(newRun('otter'), row(), { key: 'k', digest: 'd' })
      assert.deepEqual(await queued(store), ['otter'])
    },
  },
  {
    name: 'lists the queue oldest first, and changes and removes rows',
    async play(store) {
      const runs = [await writeRun(store, { name: 'a' }), await writeRun(store, { name: 'b' })]
      const [a, b] = runs.map(({ run }) => run)
      assert.ok(a !== undefined && b !== undefined)
      assert.equal(await store.queue.row(a), undefined)
      await store.queue.put(a, row({ queuedAtMs: 20 }))
      await store.queue.put(b, row({ queuedAtMs: 10 }))
      assert.deepEqual(await queued(store), ['b', 'a'])
      await store.queue.put(b, row({ queuedAtMs: 20, tries: 3 }))
      assert.deepEqual(await queued(store), ['a', 'b'])
      assert.equal((await store.queue.row(b))?.tries, 3)
      await store.queue.remove(a)
      await store.queue.remove(a)
      assert.deepEqual(await queued(store), ['b'])
    },
  },
  {
    name: 'lists queued runs that are neither ended nor paused',
    async play(store) {
      const statuses = [
        ['pending', []],
        ['running', [started]],
        ['suspended', [started, { type: 'run-suspended', reason: '' }]],
        ['ended', [started, ended]],
      ] as const
      for (const [name, events] of statuses) {
        const { run, write } = await writeRun(store, { id: name, name })
        await store.queue.put(run, row())
        if (events.length > 0) await write(...events)
      }
      await writeRun(store, { name: 'not queued' })
      const open = await store.queue.open()
      assert.deepEqual(open.toSorted(), ['pending', 'running', 'suspended'])
    },
  },
  {
    name: 'refuses to queue an unknown run',
    async play(store) {
      const gone = 'gone' as RunId
      await refuses(store.queue.put(gone, row()), 'unknown-run')
      await refuses(store.queue.row(gone), 'unknown-run')
      await refuses(store.queue.remove(gone), 'unknown-run')
    },
  },
]
