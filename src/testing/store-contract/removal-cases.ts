/** Facts about runs, and removing runs for good. */

import assert from 'node:assert/strict'
import { leaseTtlMs, type Store } from '../../engine/index.ts'
import type { RunId } from '../../loop/index.ts'
import { note, type WrittenRun, writeRun } from '../write-run.ts'
import { ask, begin, ended, finish, refuses, type StoreCase } from './store-case.ts'

/** A run with something of every kind, which has ended and is not held. */
async function endedRun(store: Store, name: string): Promise<WrittenRun> {
  const written = await writeRun(store, { name })
  const lease = await written.take('one')
  await store.recordDecision(written.run, { type: 'pause' }, 'ada', 5)
  await store.setFact(written.run, 'folder', { value: name, atMs: 5 })
  const row = { priority: 0, queuedAtMs: 1, request: null, tries: 0 }
  await store.queue.put(written.run, row)
  const events = [begin(1), ask(1, 'tone', 9), finish('a#1', { fingerprint: 'f' }), ended]
  const blobs = ['shared', name] as never[]
  await store.append(lease, written.unit(events, { blobs, trees: ['tree' as never] }))
  await store.release(lease)
  return written
}

const facts: readonly StoreCase[] = [
  {
    name: 'keeps the newest value of each fact about a run',
    async play(store, scene) {
      const { run } = await writeRun(store)
      assert.deepEqual(await store.facts(run), new Map())
      await store.setFact(run, 'folder', { value: '/a', atMs: 1 })
      await store.setFact(run, 'review', { value: { by: 'ada', files: [1, null] }, atMs: 2 })
      await store.setFact(run, 'folder', { value: '/b', atMs: 3 })
      assert.deepEqual(
        await scene.open().facts(run),
        new Map<string, unknown>([
          ['folder', { value: '/b', atMs: 3 }],
          ['review', { value: { by: 'ada', files: [1, null] }, atMs: 2 }],
        ]),
      )
      await refuses(store.setFact('gone' as RunId, 'x', { value: 1, atMs: 1 }), 'unknown-run')
      await refuses(store.facts('gone' as RunId), 'unknown-run')
    },
  },
]

const removing: readonly StoreCase[] = [
  {
    name: 'removes everything of a run, and leaves others as they were',
    async play(store) {
      const kept = await endedRun(store, 'kept')
      const { run } = await endedRun(store, 'gone')
      assert.equal(await store.hasRemoved(), false)
      await store.removeRun(run)
      assert.equal(await store.hasRemoved(), true)
      for (const work of [
        () => store.findRun('gone'),
        () => store.read(run),
        () => store.checkpoints(run),
        () => store.facts(run),
        () => store.pendingDecisions(run),
        () => store.queue.row(run),
        () => store.removeRun(run),
      ]) {
        await refuses(work(), 'unknown-run')
      }
      const names = (await store.listRuns()).map(({ name }) => name)
      const queued = (await store.queue.list()).map(({ name }) => name)
      const tried = (await store.tried('f')).map((one) => one.run)
      assert.deepEqual([names, queued, tried], [['kept'], ['kept'], [kept.run]])
      assert.equal((await store.read(kept.run)).length, 5)
      const content = (await store.namedContent()).map(({ hash }) => hash)
      assert.deepEqual(content.toSorted(), ['kept', 'shared', 'tree'])
      await endedRun(store, 'gone')
    },
  },
  {
    name: 'does not use the positions of a removed run again',
    async play(store) {
      await endedRun(store, 'first')
      const { run } = await endedRun(store, 'last')
      const position = await store.lastPosition()
      await store.removeRun(run)
      const next = await writeRun(store)
      const after = await store.readStore({ afterPosition: position, limit: 9 })
      assert.deepEqual(
        after.map((one) => one.run),
        [next.run],
      )
    },
  },
  {
    name: 'removes a run only if it has ended, or by force, and never while it is held',
    async play(store) {
      const { run, take, write } = await writeRun(store)
      const lease = await take('one')
      for (const force of [true, false]) await refuses(store.removeRun(run, { force }), 'run-busy')
      await write({ type: 'run-suspended', reason: '' })
      await store.release(lease)
      await refuses(store.removeRun(run), 'wrong-status')
      assert.equal((await store.listRuns()).length, 1)
      await store.removeRun(run, { force: true })
      assert.deepEqual(await store.listRuns(), [])
    },
  },
  {
    name: 'refuses later writes of the owner of a removed run',
    async play(store, scene) {
      const { take, unit, run } = await writeRun(store)
      const lease = await take('frozen')
      await scene.advance(leaseTtlMs)
      await scene.open().removeRun(run, { force: true })
      await writeRun(store)
      await refuses(store.append(lease, unit([note('late')])), 'fenced')
      assert.equal((await store.readStore({ afterPosition: 0, limit: 9 })).length, 1)
    },
  },
]

export const removalCases: readonly StoreCase[] = [...facts, ...removing]
