import { expect, test } from 'vitest'
import { LoopError } from '../../loop/index.ts'
import { createMemoryStore } from '../../testing/memory-store/memory-store.ts'
import { createLoopMemory, memoryCharsMax } from './memory.ts'

const scope = { loop: 'triage', repository: '/shop' }
const { signal } = new AbortController()
const { memory: memories } = createMemoryStore()
const open = (of = scope, from: Pick<typeof memories, 'add' | 'newest' | 'relevant'> = memories) =>
  createLoopMemory({ memories: from, scope: of, now: () => 7 })

const say = (key: string, text: string) => ({
  key,
  text,
  tags: ['triage', 'loop-state'],
  source: 'loop:triage',
})

const broken = () =>
  Promise.reject(new LoopError('store-damaged', 'The journal is damaged: \u001b[31mx'))

test('a loop recalls its newest facts, then those that fit the question, once each', async () => {
  const memory = open({ loop: 'recalling', repository: '/shop' })
  const texts = ['builds are red', 'nothing to do', 'the docs are old']
  for (const [at, text] of texts.entries()) await memory.record(say(`${at}`, text))
  const recalled = async (limit: number, query?: string) =>
    (
      await memory.recall({ limit, ...(query === undefined ? {} : { query }) }, signal)
    ).memories.map(({ text }) => text)
  expect(await recalled(5)).toEqual(texts.toReversed())
  expect(await recalled(1)).toEqual(['the docs are old'])
  expect(await recalled(1, 'which builds are red? the docs?')).toContain('builds are red')
  expect(await recalled(5, 'builds')).toEqual(texts.toReversed())
  expect(await recalled(0, 'builds')).toEqual([])
  expect(await recalled(-1)).toEqual([])
  const others = open({ loop: 'recalling', repository: '/other' })
  expect(await others.recall({ limit: 5 }, signal)).toEqual({ memories: [] })
})

test('what is stored is clean, bounded, and stored once for each key', async () => {
  const memory = open()
  const hostile = `a\u001b[2Jb\u202ec\u200b\u{e0041}\u0000 ${'x'.repeat(10 * memoryCharsMax)}`
  expect(await memory.record(say('k', hostile))).toEqual({})
  expect(await memory.record(say('k', 'again'))).toEqual({})
  expect(await memory.record(say('empty', ' \u200b\u0000\n'))).toHaveProperty('problem')
  const many = {
    ...say('tags'.repeat(500), 'y'),
    tags: Array.from({ length: 90 }, () => '\u0007t'.repeat(99)),
  }
  expect(await memory.record(many)).toEqual({})
  const { memories: found } = await memory.recall({ limit: 5 }, signal)
  expect(found.map(({ text }) => text.slice(0, 8))).toEqual(['y', 'a[2Jbc x'])
  expect(found.every(({ text }) => text.length <= memoryCharsMax)).toBe(true)
  expect(found[0]).toMatchObject({ source: 'loop:triage', atMs: 7 })
})

test('what another program stored is cleaned before it is recalled', async () => {
  const limits = { count: 10, bytes: 100_000 }
  const planted = {
    ...say('p', 'see\u202e this\u0000'),
    loop: 'planted',
    source: 'x\n\u001by',
    atMs: 1,
  }
  await memories.add(planted, limits)
  const { memories: found } = await open({ loop: 'planted' } as typeof scope).recall(
    { limit: 1 },
    signal,
  )
  expect(found).toMatchObject([{ text: 'see this', source: 'x y' }])
})

test('a failing store is a problem to report, and what can be read is returned', async () => {
  const all = { add: broken, newest: broken, relevant: broken }
  const memory = open(scope, all)
  const problem = expect.stringContaining('The journal is damaged')
  expect(await memory.recall({ limit: 5, query: 'x' }, signal)).toEqual({ memories: [], problem })
  expect(await memory.record(say('k', 'x'))).toEqual({ problem })
  const half = open(scope, { ...memories, relevant: broken })
  const { memories: found, problem: why } = await half.recall({ limit: 1, query: 'x' }, signal)
  expect(found).toHaveLength(1)
  expect(why).not.toContain('\u001b')
})

test('recalling stops when the round is aborted', async () => {
  const reason = new Error('stop')
  await expect(open().recall({ limit: 1 }, AbortSignal.abort(reason))).rejects.toBe(reason)
})
