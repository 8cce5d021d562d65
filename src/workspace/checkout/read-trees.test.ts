import { expect, test } from 'vitest'
import type { TreeId } from '../../loop/index.ts'
import { createBatchedTreeReader } from './read-trees.ts'
import type { TreeSource } from './tree-source.ts'

const tree = 'git:1' as TreeId

function createSource(): TreeSource & { readonly calls: (readonly string[])[] } {
  const calls: (readonly string[])[] = []
  return {
    calls,
    list: async () => ({
      files: new Map([
        ['a', { kind: 'file', content: 'same' }],
        ['b', { kind: 'file', content: 'same' }],
      ]),
      folders: new Set(),
      others: new Map(),
    }),
    hash: { algorithm: 'sha1', prefix: () => '' },
    async read(contents) {
      calls.push(contents)
      return new Map(contents.map((content) => [content, new TextEncoder().encode('text')]))
    },
    extract: async () => {},
  }
}

test('equal content is read once', async () => {
  const source = createSource()
  const reader = createBatchedTreeReader(source)
  await reader.read(tree, 'a')
  expect(await reader.read(tree, 'b')).toEqual(new TextEncoder().encode('text'))
  expect(source.calls).toEqual([['same']])
})

test('what a caller does to the bytes is not seen by the next one', async () => {
  const reader = createBatchedTreeReader(createSource())
  for (const path of ['a', 'b']) (await reader.read(tree, path))?.fill(0)
  expect(await reader.read(tree, 'a')).toEqual(new TextEncoder().encode('text'))
})

test('the limit holds for content that is kept', async () => {
  const reader = createBatchedTreeReader(createSource())
  await reader.read(tree, 'a')
  expect(await reader.read(tree, 'a', 3)).toBeUndefined()
})
