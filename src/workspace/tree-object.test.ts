import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memoryBlobs } from '../testing/memory-blobs.ts'
import { fromBuffer, fromText } from './bytes.ts'
import { computeTreeId, loadTree, parseTree, renderTree, type TreeEntry } from './tree-object.ts'

const { blob } = await memoryBlobs().put('content')
const tree = computeTreeId('content')
const file = (name: string, executable = false): TreeEntry => {
  return { type: 'file', name, blob, bytes: 7, executable }
}

const bytes = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((array) => {
  return fromBuffer(Buffer.from(array)).replaceAll('\0', 'n')
})
const names = fc
  .oneof(bytes, fc.string({ unit: 'grapheme', minLength: 1 }).map(fromText))
  .map((name) => name.replaceAll(/[/\0]/g, '_'))
  .filter((name) => name !== '.' && name !== '..')
const entries: fc.Arbitrary<TreeEntry> = fc.oneof(
  fc.record({
    type: fc.constant('file' as const),
    name: names,
    blob: fc.constant(blob),
    bytes: fc.maxSafeNat(),
    executable: fc.boolean(),
  }),
  fc.record({ type: fc.constant('directory' as const), name: names, tree: fc.constant(tree) }),
  fc.record({ type: fc.constant('link' as const), name: names, target: bytes }),
)

describe('a tree object', () => {
  test('is readable text with one line per entry, sorted by bytes', () => {
    const text = renderTree([
      file('b.txt'),
      file('run me', true),
      { type: 'directory', name: 'a', tree },
      { type: 'link', name: fromText('é%'), target: '../ZZ\n' },
      file('B\xff'),
    ])
    expect(text).toBe(
      [
        'loopwright-tree 1',
        `f ${blob} 7 B%ff`,
        `d ${tree} a`,
        `f ${blob} 7 b.txt`,
        `x ${blob} 7 run%20me`,
        'l ../ZZ%0a é%25',
        '',
      ].join('\n'),
    )
  })

  test('with any names and targets can be parsed back', () => {
    const lists = fc.uniqueArray(entries, { selector: (entry) => entry.name, maxLength: 8 })
    fc.assert(
      fc.property(lists, (list) => {
        const text = renderTree(list)
        const sorted = list.toSorted((a, b) => Buffer.compare(latin1(a.name), latin1(b.name)))
        expect(parseTree(text, 'id')).toEqual(sorted)
        expect(renderTree(list.toReversed())).toBe(text)
      }),
    )
  })

  test.each([
    ['an unknown version', `loopwright-tree 2\nf ${blob} 7 a\n`],
    ['no header', `f ${blob} 7 a\n`],
    ['nothing', ''],
    ['another order', `loopwright-tree 1\nf ${blob} 7 b\nf ${blob} 7 a\n`],
    ['a duplicate name', `loopwright-tree 1\nf ${blob} 7 a\nf ${blob} 7 a\n`],
    ['no newline at the end', `loopwright-tree 1\nf ${blob} 7 a`],
    ['an unknown kind', `loopwright-tree 1\ns ${blob} a\n`],
    ['an unnecessary escape', `loopwright-tree 1\nf ${blob} 7 %61\n`],
    ['an invalid size', `loopwright-tree 1\nf ${blob} x a\n`],
    ['a size with a leading zero', `loopwright-tree 1\nf ${blob} 07 a\n`],
    ['an invalid hash', 'loopwright-tree 1\nf ../../x 7 a\n'],
    ['one field too many', `loopwright-tree 1\nd ${blob} 7 a\n`],
    ['the name ..', `loopwright-tree 1\nd ${tree} ..\n`],
    ['the name .', `loopwright-tree 1\nd ${tree} .\n`],
    ['a name with a path', `loopwright-tree 1\nf ${blob} 7 ../../etc/passwd\n`],
    ['an escaped slash', `loopwright-tree 1\nf ${blob} 7 a%2fb\n`],
    ['a NUL', `loopwright-tree 1\nf ${blob} 7 a%00\n`],
    ['an empty name', `loopwright-tree 1\nf ${blob} 7 \n`],
  ])('with %s is rejected', async (_, text) => {
    const blobs = memoryBlobs()
    await blobs.put(text)
    await expect(loadTree(blobs, computeTreeId(text))).rejects.toMatchObject({
      code: 'store-damaged',
    })
  })
})

const latin1 = (name: string) => Buffer.from(name, 'latin1')
