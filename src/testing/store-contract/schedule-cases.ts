/** Schedules: unique names, changes from a known revision, ticks that are stored once and not forever. */

import assert from 'node:assert/strict'
import { type NewScheduleRow, type TickRow, ticksKept } from '../../engine/index.ts'
import { asJson, refuses, type StoreCase } from './store-case.ts'

const schedule = (id: string, fields: Partial<NewScheduleRow> = {}): NewScheduleRow => ({
  id,
  name: `the ${id}`,
  createdAtMs: 5,
  definition: { file: '/loops/a.yaml', list: [1, null] },
  state: { nextMs: 10 },
  ...fields,
})

const tick = (atMs: number, body: TickRow['body'] = { result: 'run' }): TickRow => ({
  tick: `time:${atMs}`,
  atMs,
  body,
})

const names = (rows: readonly { readonly name: string }[]): readonly string[] =>
  rows.map(({ name }) => name)

const ticksOf = (rows: readonly TickRow[]): readonly string[] => rows.map((row) => row.tick)

export const scheduleCases: readonly StoreCase[] = [
  {
    name: 'keeps schedules by name, and finds each by its id and its name from every connection',
    async play(store, scene) {
      const added = await store.schedules.add(schedule('b'))
      assert.deepEqual(added, { ...schedule('b'), revision: 1 })
      await store.schedules.add(schedule('a'))
      const { schedules } = scene.open()
      assert.deepEqual(names(await schedules.list()), ['the a', 'the b'])
      assert.deepEqual(await schedules.find('b'), added)
      assert.deepEqual(await schedules.find('the b'), added)
      await refuses(schedules.find('c'), 'unknown-schedule')
      await refuses(schedules.add(schedule('c', { name: 'the a' })), 'name-taken')
      await schedules.remove('b')
      await refuses(store.schedules.remove('b'), 'unknown-schedule')
      assert.deepEqual(names(await store.schedules.list()), ['the a'])
    },
  },
  {
    name: 'S1: changes a schedule only from the revision that was read',
    async play(store, scene) {
      await store.schedules.add(schedule('a'))
      const first = await store.schedules.update('a', { revision: 1, state: { nextMs: 20 } })
      assert.deepEqual(asJson(first), { ...schedule('a'), state: { nextMs: 20 }, revision: 2 })
      const late = { revision: 1, state: {}, ticks: [tick(10)] }
      await refuses(scene.open().schedules.update('a', late), 'fenced')
      await refuses(store.schedules.update('b', late), 'unknown-schedule')
      assert.deepEqual(await store.schedules.find('a'), first)
      assert.deepEqual(await store.schedules.ticks('a', 10), [])
    },
  },
  {
    name: 'S2: stores a tick once, and replaces what is known of it',
    async play(store) {
      const { schedules } = store
      await schedules.add(schedule('a'))
      await schedules.add(schedule('b'))
      await schedules.update('a', { revision: 1, state: {}, ticks: [tick(10), tick(20)] })
      await schedules.update('b', { revision: 1, state: {}, ticks: [tick(20)] })
      const ended = tick(10, { result: 'run', outcome: 'completed' })
      await schedules.update('a', { revision: 2, state: {}, ticks: [ended] })
      assert.deepEqual(await schedules.ticks('a', 10), [tick(20), ended])
      assert.deepEqual(await schedules.ticks('a', 1), [tick(20)])
      assert.deepEqual(await schedules.tick('a', 'time:10'), ended)
      assert.equal(await schedules.tick('a', 'time:30'), undefined)
      const since = await schedules.ticksSince(20)
      assert.deepEqual(
        since.map((row) => [row.schedule, row.tick]),
        [
          ['a', 'time:20'],
          ['b', 'time:20'],
        ],
      )
      await schedules.remove('a')
      assert.deepEqual(await schedules.ticks('a', 10), [])
    },
  },
  {
    name: 'S3: keeps the newest ticks of each schedule',
    async play(store) {
      const { schedules } = store
      await schedules.add(schedule('a'))
      const many = Array.from({ length: ticksKept + 2 }, (_, at) => tick(at + 1))
      await schedules.update('a', { revision: 1, state: {}, ticks: many })
      const kept = ticksOf(await schedules.ticks('a', ticksKept + 10))
      assert.equal(kept.length, ticksKept)
      assert.deepEqual([kept[0], kept.at(-1)], [`time:${ticksKept + 2}`, 'time:3'])
    },
  },
  {
    name: 'keeps what holds for all schedules, and counts every change',
    async play(store, scene) {
      const { schedules } = store
      assert.equal(await schedules.settings(), null)
      const seen = [await schedules.changes()]
      await schedules.saveSettings({ paused: { by: 'ada' } })
      seen.push(await schedules.changes())
      await schedules.add(schedule('a'))
      seen.push(await schedules.changes())
      await schedules.update('a', { revision: 1, state: {} })
      seen.push(await schedules.changes())
      await schedules.remove('a')
      seen.push(await scene.open().schedules.changes())
      assert.equal(new Set(seen).size, seen.length)
      assert.deepEqual(await scene.open().schedules.settings(), { paused: { by: 'ada' } })
    },
  },
]
