/** Writing events: order, atomicity, and what the store derives from them. */

import assert from 'node:assert/strict'
import type { RunState } from '../../loop/index.ts'
import { note, writeRun } from '../write-run.ts'
import { asJson, begin, end, finish, refuses, type StoreCase, started } from './store-case.ts'

const writing: readonly StoreCase[] = [
  {
    name: 'returns events as they were written, with gapless seqs',
    async play(store, scene) {
      const { run, write } = await writeRun(store, { atMs: 5 })
      await write(started, begin(1))
      await write(note('höher "und" weiter\u2028'), end(1))
      const read = await scene.open().read(run)
      assert.deepEqual(
        read.map(({ seq }) => seq),
        [1, 2, 3, 4, 5],
      )
      assert.deepEqual(
        read.slice(1).map(({ event }) => event),
        [started, begin(1), note('höher "und" weiter\u2028'), end(1)],
      )
      assert.ok(read.every((one) => one.run === run && one.atMs === 5))
    },
  },
  {
    name: 'keeps the order of units that are given without waiting',
    async play(store) {
      const { run, take, unit } = await writeRun(store)
      const lease = await take()
      const units = ['a', 'b', 'c', 'd'].map((text) => unit([note(text)]))
      await Promise.all(units.map((one) => store.append(lease, one)))
      const messages = (await store.read(run, { afterSeq: 1 })).map(({ event }) =>
        event.type === 'warning' ? event.message : event.type,
      )
      assert.deepEqual(messages, ['a', 'b', 'c', 'd'])
    },
  },
  {
    name: 'refuses a unit that leaves a gap or repeats an event, and keeps nothing of it',
    async play(store) {
      const { run, take, unit, write } = await writeRun(store)
      const lease = await take()
      await write(note())
      for (const firstSeq of [1, 2, 4, 9]) {
        const wrong = { ...unit([note('wrong'), end(1)]), firstSeq, blobs: ['b1' as never] }
        await refuses(store.append(lease, wrong), 'store-failed')
      }
      assert.equal((await store.read(run)).length, 2)
      assert.deepEqual(await store.checkpoints(run), [])
      assert.deepEqual(await store.namedContent(), [])
    },
  },
  {
    name: 'keeps a unit whole or not at all',
    async play(store) {
      const { run, take, unit } = await writeRun(store)
      const lease = await take()
      const pause = { type: 'pause' } as const
      const { id } = await store.recordDecision(run, pause, 'ada', 5)
      const applied = { type: 'decision-applied', id, by: 'ada', decision: pause } as const
      // The second one cannot be applied, so that everything before it must be undone.
      const events = [begin(1), finish('s#1', { fingerprint: 'f' }), end(1), applied, applied]
      const broken = unit(events, { blobs: ['b1' as never], trees: ['t1' as never] })
      await refuses(store.append(lease, broken), 'fenced')
      assert.equal((await store.read(run)).length, 1)
      assert.equal((await store.findRun(run)).status, 'pending')
      assert.deepEqual(await store.checkpoints(run), [])
      assert.deepEqual(await store.tried('f'), [])
      assert.deepEqual(await store.namedContent(), [])
      assert.equal((await store.pendingDecisions(run)).length, 1)
      await store.append(lease, { ...broken, events: [applied] })
      assert.equal((await store.read(run)).length, 2)
    },
  },
  {
    name: 'is not changed by what a caller does with a value afterwards',
    async play(store) {
      const { run, take, unit } = await writeRun(store)
      const lease = await take()
      const event = { type: 'warning', code: 'note', message: 'as written' }
      await store.append(lease, unit([event as never]))
      event.message = 'changed'
      const [, read] = await store.read(run)
      assert.deepEqual(read?.event, note('as written'))
      Object.assign(read?.event ?? {}, { message: 'changed' })
      assert.deepEqual((await store.read(run))[1]?.event, note('as written'))
    },
  },
]

const deriving: readonly StoreCase[] = [
  {
    name: 'keeps a snapshot of a state between two iterations, and of no other',
    async play(store) {
      const { run, take, unit } = await writeRun(store)
      const lease = await take()
      const boundaries = new Map<number, RunState>()
      const write = async (...events: Parameters<typeof unit>[0]): Promise<void> => {
        const one = unit(events)
        if (one.boundary !== undefined) boundaries.set(one.boundary.seq, one.boundary)
        await store.append(lease, one)
      }
      await write(begin(1))
      await write(note('long', 200_000))
      assert.equal(await store.snapshot(run), undefined)
      for (const iteration of [1, 2, 3]) {
        await write(end(iteration))
        await write(begin(iteration + 1))
        await write(note('long', 200_000))
      }
      const snapshot = await store.snapshot(run)
      assert.ok(snapshot !== undefined, 'there is no snapshot')
      assert.deepEqual(snapshot, asJson(boundaries.get(snapshot.seq)))
    },
  },
  {
    name: 'has a checkpoint for each iteration that counts, and forgets those that were rewound',
    async play(store) {
      const { run, write } = await writeRun(store, { atMs: 7 })
      const ending = { type: 'interrupted', reason: '' } as const
      await write(started, begin(1), end(1), begin(2))
      await write({ type: 'iteration-ended', iteration: 2, ending })
      await write({ type: 'iteration-started', iteration: 2, again: true }, end(2))
      const [first, second] = [
        { iteration: 1, seq: 4, atMs: 7 },
        { iteration: 2, seq: 8, atMs: 7 },
      ]
      assert.deepEqual(await store.checkpoints(run), [first, second])
      const boundaries = await Promise.all(
        [3, 4, 7, 8, 99].map((seq) => store.boundaryBefore(run, seq)),
      )
      assert.deepEqual(boundaries, [0, 4, 4, 8, 8])
      await write({ type: 'run-rewound', toIteration: 1 })
      assert.deepEqual(await store.checkpoints(run), [first])
      assert.equal(await store.boundaryBefore(run, 99), 4)
      await write(begin(2), end(2))
      assert.deepEqual(await store.checkpoints(run), [first, { ...second, seq: 11 }])
    },
  },
  {
    name: 'E8: knows what agents tried, newest first, until a run forgets it',
    async play(store) {
      const one = await writeRun(store)
      const other = await writeRun(store)
      await one.write(begin(1), finish('a#1', { fingerprint: 'f' }), finish('b#1'))
      await other.write(begin(1), finish('a#1', { fingerprint: 'f' }))
      await other.write(finish('b#1', { fingerprint: 'f' }), finish('c#1', { fingerprint: 'g' }))
      const tried = async (fingerprint: string) =>
        (await store.tried(fingerprint)).map(({ run, iteration, seq }) => [run, iteration, seq])
      const ofOther = [
        [other.run, 1, 4],
        [other.run, 1, 3],
      ]
      assert.deepEqual(await tried('f'), [...ofOther, [one.run, 1, 3]])
      assert.equal(await store.forgetTried(one.run), 1)
      assert.deepEqual(await tried('f'), ofOther)
      await one.write(finish('c#1', { fingerprint: 'f' }))
      assert.deepEqual(await tried('f'), [...ofOther, [one.run, 1, 5]])
      assert.equal(await store.forgetTried(), 4)
      assert.deepEqual([...(await tried('f')), ...(await tried('g'))], [])
    },
  },
  {
    name: 'names the content of all units, each hash once',
    async play(store) {
      const [blobs, trees] = [['b1', 'b2'] as never[], ['t1'] as never[]]
      for (let time = 0; time < 2; time++) {
        const { take, unit } = await writeRun(store)
        const lease = await take()
        await store.append(lease, unit([note()], { blobs, trees }))
        await store.append(lease, unit([note()], { blobs: blobs.slice(0, 1) }))
      }
      const named = (await store.namedContent()).map(({ hash, isTree }) => `${hash} ${isTree}`)
      assert.deepEqual(named.toSorted(), ['b1 false', 'b2 false', 't1 true'])
      assert.deepEqual(await store.integrityProblems(), [])
      assert.deepEqual(await store.damagedRows(), [])
    },
  },
]

export const eventCases: readonly StoreCase[] = [...writing, ...deriving]
