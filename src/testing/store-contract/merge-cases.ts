/** The merge queue: one request for each key, lines by target, one owner of a line, fencing. */

import assert from 'node:assert/strict'
import { leaseTtlMs, type MergeRow, type NewMerge, type Store } from '../../engine/index.ts'
import type { RunId, TreeId } from '../../loop/index.ts'
import { writeRun } from '../write-run.ts'
import { refuses, type StoreCase } from './store-case.ts'

const line = { repository: '/shop/.git', target: 'agent/shop' }
const tree = 'git:aaaa' as TreeId
const merged = { state: 'merged', commit: 'c1', tree, certificate: 'cert' } as const

const request = (run: RunId, key: string, fields: Partial<NewMerge> = {}): NewMerge => ({
  ...line,
  key,
  run,
  branch: 'run/otter',
  commit: 'c0',
  tree,
  base: 'b0',
  strategy: 'squash',
  message: 'work\n\nof a run',
  queuedAtMs: 5,
  ...fields,
})

const keys = (rows: readonly MergeRow[]): readonly string[] => rows.map(({ key }) => key)

async function lineOf(store: Store, ...names: string[]): Promise<RunId> {
  const { run } = await writeRun(store, { id: 'otter', name: 'otter' })
  for (const name of names) await store.merges.add(request(run, name))
  return run
}

const requests: readonly StoreCase[] = [
  {
    name: 'M1: keeps one request for each key, whichever connection asks again',
    async play(store, scene) {
      const run = await lineOf(store)
      const asked = request(run, 'k')
      const expected = { ...asked, name: 'otter', position: 1, progress: { state: 'queued' } }
      assert.deepEqual(await store.merges.add(asked), expected)
      const again = await scene.open().merges.add({ ...asked, commit: 'other' })
      assert.deepEqual(again, expected)
      assert.deepEqual(await store.merges.row('k'), expected)
      assert.equal(await store.merges.row('l'), undefined)
      assert.equal((await store.merges.listOpen()).length, 1)
    },
  },
  {
    name: 'numbers the requests of a line in their order, without those that have ended',
    async play(store) {
      const run = await lineOf(store, 'a', 'b', 'c')
      await store.merges.add(request(run, 'other', { target: 'agent/other' }))
      const lease = await store.merges.acquire(line, 'one')
      assert.ok(lease !== undefined)
      assert.deepEqual(keys(await store.merges.open(line)), ['a', 'b', 'c'])
      await store.merges.update(lease, [{ key: 'b', progress: merged }])
      const open = await store.merges.open(line)
      assert.deepEqual(
        open.map(({ key, position }) => [key, position]),
        [
          ['a', 1],
          ['c', 2],
        ],
      )
      assert.deepEqual(keys(await store.merges.listOpen()), ['a', 'c', 'other'])
      assert.deepEqual(keys(await store.merges.ofRun(run)), ['a', 'b', 'c', 'other'])
      const row = await store.merges.row('b')
      assert.deepEqual([row?.progress, row?.position], [merged, undefined])
      await store.merges.update(lease, [{ key: 'c', progress: merged }])
      assert.deepEqual(keys(await store.merges.landed(line, 10)), ['c', 'b'])
      assert.deepEqual(keys(await store.merges.landed(line, 1)), ['c'])
      assert.deepEqual(keys(await store.merges.listNewest(10)), ['other', 'c', 'b', 'a'])
      assert.deepEqual(keys(await store.merges.listNewest(2)), ['other', 'c'])
    },
  },
  {
    name: 'refuses the request of an unknown run, and removes those of a removed one',
    async play(store) {
      const gone = 'gone' as RunId
      await refuses(store.merges.add(request(gone, 'k')), 'unknown-run')
      await refuses(store.merges.ofRun(gone), 'unknown-run')
      const run = await lineOf(store, 'a')
      await store.removeRun(run, { force: true })
      assert.equal(await store.merges.row('a'), undefined)
      assert.deepEqual(await store.merges.listOpen(), [])
    },
  },
]

const leases: readonly StoreCase[] = [
  {
    name: 'M2: gives a line to one owner, and each line to another',
    async play(store, scene) {
      const lease = await store.merges.acquire(line, 'one')
      assert.deepEqual(lease, { ...line, owner: 'one', fence: 1 })
      assert.equal(await scene.open().merges.acquire(line, 'two'), undefined)
      assert.equal(await scene.open().merges.isHeld(line), true)
      assert.equal(await store.merges.acquire(line, 'one'), undefined)
      const other = { ...line, target: 'main' }
      assert.equal((await store.merges.acquire(other, 'two'))?.owner, 'two')
      await store.merges.release(lease)
      assert.equal(await store.merges.isHeld(line), false)
      assert.equal((await store.merges.acquire(line, 'two'))?.fence, 2)
    },
  },
  {
    name: 'M2: gives the line of a dead owner to another at once, and an expired one',
    async play(store, scene) {
      await store.merges.acquire(line, 'one')
      scene.kill('one')
      const second = await store.merges.acquire(line, 'two')
      assert.ok(second !== undefined)
      await scene.advance(leaseTtlMs - 1000)
      await store.merges.renew(second)
      await scene.advance(leaseTtlMs - 1000)
      assert.equal(await store.merges.acquire(line, 'three'), undefined)
      await scene.advance(1000)
      assert.equal(await store.merges.isHeld(line), false)
      assert.equal((await store.merges.acquire(line, 'three'))?.fence, 3)
    },
  },
  {
    name: 'M2: refuses the changes of an owner that was replaced, all of them',
    async play(store, scene) {
      await lineOf(store, 'a', 'b')
      const old = await store.merges.acquire(line, 'frozen')
      assert.ok(old !== undefined)
      await scene.advance(leaseTtlMs)
      const lease = await scene.open().merges.acquire(line, 'next')
      assert.ok(lease !== undefined)
      const changes = ['a', 'b'].map((key) => ({ key, progress: merged }))
      await refuses(store.merges.update(old, changes), 'fenced')
      await refuses(store.merges.renew(old), 'fenced')
      await store.merges.release(old)
      assert.deepEqual(keys(await store.merges.open(line)), ['a', 'b'])
      await store.merges.update(lease, changes)
      assert.deepEqual(await store.merges.open(line), [])
    },
  },
]

export const mergeCases: readonly StoreCase[] = [...requests, ...leases]
