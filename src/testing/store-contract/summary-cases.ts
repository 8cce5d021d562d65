/** Pages of runs with what lists show of them. */

import assert from 'node:assert/strict'
import { evolve, initialState, type RunEvent } from '../../loop/index.ts'
import { summarizeState } from '../../loop/run-summary.ts'
import { writeRun } from '../write-run.ts'
import { ask, begin, end, ended, type StoreCase, started } from './store-case.ts'

export const summaryCases: readonly StoreCase[] = [
  {
    name: 'sums up each run by the state after its last event, from its creation on',
    async play(store) {
      const { run, write } = await writeRun(store, { name: 'one', atMs: 5 })
      const [before] = (await store.pageSummaries()).rows
      assert.equal(before?.summary?.points.length, 0)
      await write(started, begin(1))
      await write(end(1), begin(2))
      const { rows, next } = await store.pageSummaries()
      assert.equal(next, undefined)
      const [row] = rows
      assert.equal(row?.run.id, run)
      assert.deepEqual(row.last, { type: 'iteration-started', atMs: 5, event: begin(2) })
      assert.deepEqual(row.summary?.open, { iteration: 2, startedAtMs: 5 })
      assert.deepEqual(
        row.summary?.points.map(({ iteration }) => iteration),
        [1],
      )
    },
  },
  {
    name: 'has a summary that follows from the events alone, in each process',
    async play(store, scene) {
      const { take, write, unit } = await writeRun(store, { name: 'one' })
      await write(started, begin(1))
      await write(end(1), begin(2))
      const other = scene.open()
      scene.kill('owner of one')
      const lease = await take('another')
      await other.append(lease, unit([end(2)]))
      const [row] = (await store.pageSummaries()).rows
      assert.deepEqual(
        row?.summary?.points.map(({ iteration }) => iteration),
        [1, 2],
      )
    },
  },
  {
    name: 'names the first open question of a run, and how many it has',
    async play(store) {
      const { run, write } = await writeRun(store, { name: 'one', atMs: 5 })
      await write(begin(1), ask(1, 'late', 9000), ask(1, 'early', 7000))
      const [row] = (await store.pageSummaries()).rows
      assert.deepEqual(row?.question, {
        id: '1/ask:early#1',
        text: 'early?',
        askedAtMs: 5,
        deadlineAtMs: 7000,
        count: 2,
      })
      const answer = { type: 'answer', question: '1/ask:early#1', answer: 'no' } as const
      await store.recordDecision(run, answer, 'ada', 6)
      const [later] = (await store.pageSummaries()).rows
      assert.equal(later?.question?.id, '1/ask:late#1')
      assert.equal(later?.question?.count, 1)
    },
  },
  {
    name: 'pages and filters as lists do, and by id',
    async play(store) {
      const runs = [await writeRun(store, { name: 'a' }), await writeRun(store, { name: 'b' })]
      await runs[1]?.write(started)
      const first = await store.pageSummaries({ limit: 1 })
      assert.deepEqual(
        first.rows.map(({ run }) => run.name),
        ['b'],
      )
      assert.ok(first.next !== undefined)
      const second = await store.pageSummaries({ limit: 1, before: first.next })
      assert.deepEqual(
        second.rows.map(({ run }) => run.name),
        ['a'],
      )
      const running = await store.pageSummaries({ status: ['running'] })
      assert.equal(running.rows.length, 1)
      const byId = await store.pageSummaries({ runs: runs.slice(0, 1).map(({ run }) => run) })
      assert.deepEqual(
        byId.rows.map(({ run }) => run.name),
        ['a'],
      )
    },
  },
  {
    name: 'a page says how far it reaches: what is written later has a later position',
    async play(store) {
      const { run, write } = await writeRun(store, { name: 'one' })
      const { position } = await store.pageSummaries()
      assert.deepEqual((await store.changedRuns(position)).runs, [])
      await write(started)
      assert.deepEqual((await store.changedRuns(position)).runs, [run])
    },
  },
  {
    name: 'forgets the summary of a run that is removed, and shows what was decided about its work',
    async play(store, scene) {
      const { run, write } = await writeRun(store, { name: 'one' })
      await write(started, ended)
      await store.setFact(run, 'review', { value: { status: 'merged' }, atMs: 9 })
      const [row] = (await store.pageSummaries()).rows
      assert.deepEqual(row?.review, { status: 'merged' })
      assert.equal(row.summary?.outcome?.type, 'cancelled')
      const events: readonly RunEvent[] = (await store.read(run)).map(({ event }) => event)
      const state = events.reduce(
        (before, event, at) => evolve(before, { seq: at + 1, atMs: 1000, event }),
        initialState as ReturnType<typeof evolve>,
      )
      assert.deepEqual(row.summary?.outcome, summarizeState(state).outcome)
      scene.kill('owner of one')
      await store.removeRun(run)
      assert.deepEqual((await store.pageSummaries()).rows, [])
    },
  },
]
