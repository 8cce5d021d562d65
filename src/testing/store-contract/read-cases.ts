/** Reading: by range, by position, as text, and being called back. */

import assert from 'node:assert/strict'
import type { Store } from '../../engine/index.ts'
import type { RunId } from '../../loop/index.ts'
import { note, writeRun } from '../write-run.ts'
import { begin, calls, end, finish, refuses, type StoreCase, started } from './store-case.ts'

const seqs = (events: readonly { readonly seq: number }[]): readonly number[] =>
  events.map(({ seq }) => seq)

async function twoRuns(store: Store) {
  const [one, other] = [await writeRun(store), await writeRun(store)]
  await one.write(started, begin(1))
  await other.write(started)
  await one.write(note('a', 1000), note('b', 1000), end(1))
  return { one, other }
}

const reading: readonly StoreCase[] = [
  {
    name: 'reads the events of a run by range, type, limit and size',
    async play(store) {
      const { one } = await twoRuns(store)
      const read = async (range: Parameters<Store['read']>[1]) =>
        seqs(await store.read(one.run, range))
      assert.deepEqual(await read({}), [1, 2, 3, 4, 5, 6])
      assert.deepEqual(await read({ afterSeq: 2 }), [3, 4, 5, 6])
      assert.deepEqual(await read({ afterSeq: 1, toSeq: 4 }), [2, 3, 4])
      assert.deepEqual(await read({ afterSeq: 1, limit: 2 }), [2, 3])
      assert.deepEqual(await read({ types: ['warning'] }), [4, 5])
      assert.deepEqual(await read({ types: ['iteration-started', 'iteration-ended'] }), [3, 6])
      assert.deepEqual(await read({ types: ['warning'], afterSeq: 4, limit: 5 }), [5])
      assert.deepEqual(await read({ afterSeq: 3, bytesMax: 1 }), [4])
      assert.deepEqual(await read({ afterSeq: 3, bytesMax: 1500 }), [4, 5])
      assert.deepEqual(await read({ afterSeq: 6 }), [])
      await refuses(store.read('gone' as RunId), 'unknown-run')
    },
  },
  {
    name: 'reads the events of all runs in one order, by position, limit and size',
    async play(store) {
      const { one, other } = await twoRuns(store)
      const all = await store.readStore({ afterPosition: 0, limit: 99 })
      assert.deepEqual(
        all.map(({ run, seq }) => [run, seq]),
        [
          [one.run, 1],
          [other.run, 1],
          [one.run, 2],
          [one.run, 3],
          [other.run, 2],
          [one.run, 4],
          [one.run, 5],
          [one.run, 6],
        ],
      )
      const positions = all.map(({ position }) => position)
      assert.deepEqual(
        positions,
        [...new Set(positions)].toSorted((a, b) => a - b),
      )
      const [, , third] = positions
      const rest = await store.readStore({ afterPosition: third ?? 0, limit: 2 })
      assert.deepEqual(rest, all.slice(3, 5))
      const large = await store.readStore({
        afterPosition: positions[4] ?? 0,
        limit: 9,
        bytesMax: 1,
      })
      assert.deepEqual(seqs(large), [4])
    },
  },
  {
    name: 'reads the same events as text',
    async play(store) {
      const { one } = await twoRuns(store)
      const range = { afterSeq: 1, limit: 3 }
      const events = await store.read(one.run, range)
      const texts = await store.readTexts(one.run, range)
      assert.deepEqual(
        texts.map(({ json }) => JSON.parse(json) as unknown),
        events,
      )
      assert.deepEqual(
        texts.map(({ seq, position, type }) => ({ seq, position, type })),
        events.map(({ seq, position, event: { type } }) => ({ seq, position, type })),
      )
      const all = { afterPosition: 0, limit: 99 }
      assert.deepEqual(
        (await store.readStoreTexts(all)).map(({ json }) => JSON.parse(json) as unknown),
        await store.readStore(all),
      )
    },
  },
  {
    name: 'reads the results of checks',
    async play(store) {
      const { run, write } = await writeRun(store)
      const evidence = { check: 'unit', result: 'met', atMs: 1 } as never
      await write(begin(1), finish('s#1'), finish('check:unit#1', { evidence }))
      await write(note('"evidence":{"'), finish('check:unit#2', { evidence }))
      const read = async (afterSeq: number, limit: number) =>
        seqs(await store.readEvidence(run, { afterSeq, limit }))
      assert.deepEqual(await read(0, 9), [4, 6])
      assert.deepEqual(await read(0, 1), [4])
      assert.deepEqual(await read(4, 9), [6])
    },
  },
  {
    name: 'lists the runs that have events after a position',
    async play(store) {
      assert.equal(await store.lastPosition(), 0)
      assert.deepEqual(await store.changedRuns(0), { position: 0, runs: [] })
      const { one, other } = await twoRuns(store)
      const position = await store.lastPosition()
      assert.equal(
        position,
        (await store.readStore({ afterPosition: 0, limit: 99 })).at(-1)?.position,
      )
      const changed = await store.changedRuns(0)
      assert.equal(changed.position, position)
      assert.deepEqual([...changed.runs].toSorted(), [one.run, other.run].toSorted())
      await other.write(note())
      const { runs } = await store.changedRuns(position)
      assert.deepEqual(runs, [other.run])
    },
  },
]

const watching: readonly StoreCase[] = [
  {
    name: 'calls back after writes of this and other connections, until it is stopped',
    async play(store, scene) {
      const other = scene.open()
      const { run, write } = await writeRun(store)
      const [events, decisions, stopped] = [calls(), calls(), calls()]
      const stops = [
        store.watch('events', events.call),
        store.watch('decisions', decisions.call),
        other.watch('events', stopped.call),
      ]
      stops.pop()?.()
      const foreign = calls()
      stops.push(other.watch('events', foreign.call), other.watch('decisions', foreign.call))
      await write(note())
      await Promise.all([events.times(1), foreign.times(1)])
      const before = decisions.times(1)
      await other.recordDecision(run, { type: 'pause' }, 'ada', 5)
      await before
      for (const stop of stops) stop()
      for (const stop of stops) stop()
      assert.equal(
        await Promise.race([stopped.times(1), scene.advance(1000).then(() => 'silent')]),
        'silent',
      )
    },
  },
  {
    name: 'refuses everything after it was closed',
    async play(store) {
      const { run } = await writeRun(store)
      await store.close()
      await refuses(store.findRun(run), 'store-failed')
      await refuses(store.namedContent(), 'store-failed')
      await refuses(store.acquire(run, 'one'), 'store-failed')
    },
  },
]

export const readCases: readonly StoreCase[] = [...reading, ...watching]
