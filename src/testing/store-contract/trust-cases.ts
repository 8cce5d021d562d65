/** Levels of loops: once for each key, one step down at most, and never on outdated knowledge. */

import assert from 'node:assert/strict'
import type { LevelChange, NewLevelChange } from '../../engine/index.ts'
import type { StoreCase } from './store-case.ts'

const scope = { loop: 'sweeper', repository: '/shop', kind: 'apply-patch' }

const grant = (key: string, fields: Partial<NewLevelChange> = {}): NewLevelChange => ({
  ...scope,
  key,
  cause: 'granted',
  level: 3,
  by: 'ada',
  reason: 'it works',
  atMs: 7,
  ...fields,
})

const escape = (key: string): NewLevelChange =>
  grant(key, { cause: 'escape', level: 'lower', by: 'evidence', details: { commit: 'c1' } })

const keys = (changes: readonly LevelChange[]): readonly string[] => changes.map(({ key }) => key)

export const trustCases: readonly StoreCase[] = [
  {
    name: 'T1: stores a change of a level once for each key, whichever connection stores it again',
    async play(store, scene) {
      const stored = await store.trust.record(grant('a'))
      assert.ok(stored !== undefined)
      const { level: _level, ...fields } = grant('a')
      assert.deepEqual(stored, { ...fields, id: stored.id, level: 3, from: 1 })
      assert.deepEqual(await scene.open().trust.record(grant('a', { level: 2 })), stored)
      assert.deepEqual(await store.trust.current(scope), stored)
      assert.equal((await store.trust.changes({ limit: 10 })).length, 1)
    },
  },
  {
    name: 'T1, T2: takes one level for each escape, never below 1, and the same escape once',
    async play(store, scene) {
      await store.trust.record(grant('a'))
      const first = await store.trust.record(escape('e1'))
      assert.deepEqual([first?.from, first?.level, first?.details], [3, 2, { commit: 'c1' }])
      await Promise.all([store.trust.record(escape('e1')), scene.open().trust.record(escape('e1'))])
      assert.equal((await store.trust.current(scope))?.level, 2)
      assert.equal((await store.trust.record(escape('e2')))?.level, 1)
      assert.equal((await store.trust.record(escape('e3')))?.level, 1)
    },
  },
  {
    name: 'T3: refuses a change that does not know the last one',
    async play(store, scene) {
      const earned = { cause: 'earned', level: 2, by: 'evidence' } as const
      assert.equal(await store.trust.record(grant('early', { ...earned, after: 9 })), undefined)
      const first = await store.trust.record(grant('a', { ...earned, after: 0 }))
      assert.ok(first !== undefined)
      await scene.open().trust.record(escape('e1'))
      assert.equal(await store.trust.record(grant('b', { after: first.id })), undefined)
      assert.equal(await store.trust.record(grant('c', { after: 0 })), undefined)
      const last = await store.trust.current(scope)
      assert.equal(last?.key, 'e1')
      assert.equal((await store.trust.record(grant('d', { after: last?.id ?? 0 })))?.level, 3)
    },
  },
  {
    name: 'begins at the level that the loop starts with, and finds the last change that set a level',
    async play(store) {
      const { level: _level, ...proposal } = grant('p', { cause: 'proposed', starting: 2 })
      assert.deepEqual((await store.trust.record(proposal))?.level, 2)
      await store.trust.record(grant('a'))
      const { level: _other, ...bars } = grant('b', { cause: 'bars', starting: 1 })
      assert.deepEqual((await store.trust.record(bars))?.level, 3)
      const { repository: _nowhere, ...elsewhere } = grant('n')
      await store.trust.record({ ...elsewhere, level: 2 })
      const { repository: _repository, ...nowhere } = scope
      const causes = ['granted', 'earned', 'escape'] as const
      assert.deepEqual(keys(await store.trust.changes({ ...scope, causes, limit: 2 })), ['a'])
      const none = await store.trust.changes({ ...nowhere, repository: '', limit: 2 })
      assert.deepEqual(keys(none), ['n'])
      assert.equal((await store.trust.current(nowhere))?.key, 'n')
    },
  },
  {
    name: 'keeps the levels of each loop, repository and kind apart, and lists their changes in pages',
    async play(store) {
      const { level: _level, ...bars } = grant('bars', { cause: 'bars' })
      assert.equal(await store.trust.current(scope), undefined)
      await store.trust.record(grant('a'))
      assert.equal((await store.trust.record(bars))?.level, 3)
      const { repository: _repository, ...nowhere } = scope
      const others = [
        { ...scope, loop: 'other' },
        { ...scope, repository: '/other' },
        { ...scope, kind: 'merge' },
      ]
      for (const other of [...others, nowhere]) {
        assert.equal(await store.trust.current(other), undefined)
      }
      for (const other of others) await store.trust.record({ ...grant('a', other), level: 2 })
      assert.equal((await store.trust.current(scope))?.level, 3)
      const all = await store.trust.changes({ limit: 10 })
      assert.deepEqual(keys(all), ['a', 'a', 'a', 'bars', 'a'])
      assert.deepEqual(
        await store.trust.changes({ limit: 2, before: all[2]?.id ?? 0 }),
        all.slice(3),
      )
      assert.deepEqual(keys(await store.trust.changes({ ...scope, limit: 1 })), ['bars'])
      assert.deepEqual(await store.trust.changes({ loop: 'other', limit: 9 }), [all[2]])
      assert.deepEqual(await store.trust.changes({ repository: '/other', limit: 9 }), [all[1]])
      assert.deepEqual(await store.trust.changes({ kind: 'merge', limit: 9 }), [all[0]])
    },
  },
]
