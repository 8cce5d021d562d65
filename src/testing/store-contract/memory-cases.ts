/** What loops remember: once for each key, within limits, by scope, and not after it expired. */

import assert from 'node:assert/strict'
import { type Memory, memoryMax, type NewMemory, type Store } from '../../engine/index.ts'
import { writeRun } from '../write-run.ts'
import { refuses, type StoreCase } from './store-case.ts'

const scope = { loop: 'triage', repository: '/shop' }
const wide = { count: 100, bytes: 100_000 }

const fact = (key: string, fields: Partial<NewMemory> = {}): NewMemory => ({
  ...scope,
  key,
  text: `the text of ${key}`,
  tags: ['triage', 'loop-state'],
  source: 'loop:triage',
  atMs: 5,
  ...fields,
})

const keys = (memories: readonly Memory[]): readonly string[] => memories.map(({ key }) => key)

async function addAll(store: Store, ...names: readonly string[]): Promise<readonly Memory[]> {
  const added: Memory[] = []
  for (const name of names) added.push(await store.memory.add(fact(name), wide))
  return added
}

const writes: readonly StoreCase[] = [
  {
    name: 'N1: remembers a fact once for each key, whichever connection stores it again',
    async play(store, scene) {
      const first = await store.memory.add(fact('a'), wide)
      assert.deepEqual(first, { ...fact('a'), id: first.id })
      const again = await scene.open().memory.add(fact('a', { text: 'other' }), wide)
      assert.deepEqual(again, first)
      assert.deepEqual(await store.memory.get(first.id), first)
      const elsewhere = await store.memory.add(fact('a', { repository: '/other' }), wide)
      assert.notEqual(elsewhere.id, first.id)
      assert.equal((await store.memory.list({ limit: 10 })).length, 2)
    },
  },
  {
    name: 'N2: forgets the oldest facts of a scope beyond its number',
    async play(store) {
      await store.memory.add(fact('other', { loop: 'other' }), wide)
      for (const name of ['a', 'b', 'c']) await store.memory.add(fact(name), { ...wide, count: 2 })
      assert.deepEqual(keys(await store.memory.newest(scope, 10)), ['c', 'b'])
      assert.deepEqual(keys(await store.memory.list({ limit: 10 })), ['c', 'b', 'other'])
      assert.deepEqual(await store.memory.relevant(scope, 'a', 10), [])
    },
  },
  {
    name: 'N2: forgets the oldest facts of a scope beyond its bytes, and refuses one that is too large',
    async play(store) {
      const limits = { count: 100, bytes: 1000 }
      for (const name of ['a', 'b', 'c']) {
        await store.memory.add(fact(name, { text: 'é'.repeat(200) }), limits)
      }
      assert.deepEqual(keys(await store.memory.newest(scope, 10)), ['c', 'b'])
      const { textBytes, tags } = memoryMax
      const refused: readonly Partial<NewMemory>[] = [
        { text: 'x'.repeat(1001) },
        { text: 'x'.repeat(textBytes + 1) },
        { tags: Array.from({ length: tags + 1 }, () => 't') },
        { source: 'x'.repeat(2000) },
      ]
      for (const fields of refused) {
        await refuses(store.memory.add(fact('d', fields), limits), 'bad-request')
      }
      assert.deepEqual(keys(await store.memory.newest(scope, 10)), ['c', 'b'])
    },
  },
  {
    name: 'forgets facts, and never uses their ids again',
    async play(store) {
      const [a, b, c] = await addAll(store, 'a', 'b', 'c')
      assert.ok(a !== undefined && b !== undefined && c !== undefined)
      assert.equal(await store.memory.forget([a.id, c.id, 'm999', '', 'x']), 2)
      assert.deepEqual(await store.memory.list({ limit: 10 }), [b])
      assert.equal(await store.memory.get(c.id), undefined)
      assert.deepEqual(await store.memory.relevant(scope, 'text c', 10), [b])
      const [d] = await addAll(store, 'd')
      assert.ok(![a.id, b.id, c.id].includes(d?.id ?? ''))
    },
  },
  {
    name: 'keeps the facts of a loop when its runs are removed',
    async play(store) {
      const { run } = await writeRun(store, { id: 'otter', name: 'otter' })
      await addAll(store, 'a')
      await store.removeRun(run, { force: true })
      assert.deepEqual(keys(await store.memory.newest(scope, 10)), ['a'])
    },
  },
]

const reads: readonly StoreCase[] = [
  {
    name: 'returns the newest facts of a scope first, and lists all of them in pages',
    async play(store) {
      const [a, b] = await addAll(store, 'a', 'b')
      const none = await store.memory.add({ ...fact('c'), loop: 'other' }, wide)
      assert.ok(a !== undefined && b !== undefined)
      assert.deepEqual(await store.memory.newest(scope, 10), [b, a])
      assert.deepEqual(await store.memory.newest(scope, 1), [b])
      assert.deepEqual(await store.memory.newest({ loop: 'triage' }, 10), [])
      assert.deepEqual(keys(await store.memory.list({ limit: 2 })), ['c', 'b'])
      assert.deepEqual(await store.memory.list({ limit: 2, before: b.id }), [a])
      assert.deepEqual(await store.memory.list({ limit: 9, loop: 'other' }), [none])
      assert.deepEqual(await store.memory.list({ limit: 9, loop: 'triage', words: 'B' }), [b])
      assert.deepEqual(await store.memory.list({ limit: 9, repository: '/none' }), [])
      assert.deepEqual(await store.memory.list({ limit: 9, words: '!' }), [])
    },
  },
  {
    name: 'N3: never returns a fact that has expired',
    async play(store, scene) {
      const now = scene.now()
      const kept = await store.memory.add(fact('kept'), wide)
      const brief = await store.memory.add(fact('brief', { expiresAtMs: now + 1000 }), wide)
      assert.deepEqual(await store.memory.newest(scope, 10), [brief, kept])
      await scene.advance(1000)
      assert.deepEqual(await store.memory.newest(scope, 10), [kept])
      assert.deepEqual(await store.memory.list({ limit: 10 }), [kept])
      assert.deepEqual(await store.memory.relevant(scope, 'brief text', 10), [kept])
      assert.equal(await store.memory.get(brief.id), undefined)
      const again = await store.memory.add(fact('brief', { text: 'new' }), wide)
      assert.equal(again.text, 'new')
    },
  },
  {
    name: 'finds the facts of a scope by the words of a text, the best first',
    async play(store) {
      const say = (key: string, text: string, fields: Partial<NewMemory> = {}): Promise<Memory> =>
        store.memory.add(fact(key, { text, ...fields }), wide)
      await say('a', 'The nightly build fails on Windows.')
      await say('b', 'The build of the docs fails at night.', { tags: ['docs'] })
      await say('c', 'Ada reviews pull requests on Mondays.')
      await say('d', 'The nightly build fails.', { loop: 'other' })
      const find = async (text: string, limit = 10): Promise<readonly string[]> =>
        keys(await store.memory.relevant(scope, text, limit))
      assert.deepEqual(await find('why does WINDOWS fail in the nightly build?'), ['a', 'b'])
      assert.deepEqual(await find('docs build'), ['b', 'a'])
      assert.deepEqual(await find('docs build', 1), ['b'])
      assert.deepEqual(await find('mondays'), ['c'])
      assert.deepEqual(await find(''), [])
      assert.deepEqual(await find('unheard'), [])
    },
  },
  {
    name: 'takes the text of a search as data, whatever operators are in it',
    async play(store) {
      await store.memory.add(fact('a', { text: 'alpha beta' }), wide)
      await store.memory.add(fact('b', { text: 'gamma and not near' }), wide)
      const hostile: readonly (readonly [string, readonly string[]])[] = [
        ['alpha NOT beta', ['a', 'b']],
        ['"alpha', ['a']],
        ['alp*', []],
        ['text:alpha', ['a']],
        ['^alpha', ['a']],
        ['NEAR(alpha beta, 5)', ['a', 'b']],
        ["'); DROP TABLE memories; --", []],
        ['" OR "', []],
        ['(((', []],
        ['\u0000alpha\u0000', ['a']],
        ['-alpha + beta ? % _', ['a']],
        [`${'x '.repeat(50_000)}alpha`, []],
        ['😀 alpha 😀', ['a']],
      ]
      for (const [text, expected] of hostile) {
        const found = await store.memory.relevant(scope, text, 10)
        assert.deepEqual(keys(found).toSorted(), expected, text.slice(0, 40))
      }
      assert.equal((await store.memory.list({ limit: 10 })).length, 2)
    },
  },
]

export const memoryCases: readonly StoreCase[] = [...writes, ...reads]
