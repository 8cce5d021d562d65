import { expect, test } from 'vitest'
import type { TreeId } from '../loop/index.ts'
import { seededRandom } from '../testing/seeded-random.ts'
import { findTeethFiles } from './find-teeth-files.ts'
import type { TreeReader } from './parts.ts'

type Files = Readonly<Record<string, string>>

const [base, tree] = ['base' as TreeId, 'tree' as TreeId]

function find(before: Files, after: Files): ReturnType<typeof findTeethFiles> {
  const filesOf = (of: TreeId): Files => (of === base ? before : after)
  const reader: TreeReader = {
    list: (of) =>
      Promise.resolve(
        new Map(
          Object.entries(filesOf(of)).map(([path, content]) => [
            path,
            { content, kind: path.startsWith('bin/') ? 'executable' : 'file' },
          ]),
        ),
      ),
    read: (of, path) => {
      const text = filesOf(of)[path]
      return Promise.resolve(text === undefined ? undefined : new TextEncoder().encode(text))
    },
    patch: () => Promise.resolve(''),
  }
  const isTest = (path: string): boolean => path.includes('test')
  const isSealed = (path: string): boolean => path.startsWith('tools/')
  return findTeethFiles({ reader, base, tree, isTest, isSealed, random: seededRandom(1).next })
}

const before: Files = {
  'src/a.js': 'one\ntwo\n',
  'src/b.js': 'b\n',
  'bin/c.js': 'c\n',
  'test/a.test.js': "import '../src/a.js'\n",
  'test/b.test.js': "import '../src/b.js'\n",
  'dist/a.js': 'built\n',
  'tools/lint.js': 'lint\n',
  'README.md': 'text\n',
}

test('changed source with its changed lines, the rest as old, tests that speak of it first', async () => {
  const found = await find(before, { ...before, 'src/a.js': 'one\n2\n', 'bin/c.js': 'd\n' })
  expect(found.changed.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'bin/c.js', text: 'd\n', lines: new Set([1]), kind: 'executable' },
    { path: 'src/a.js', text: 'one\n2\n', lines: new Set([2]) },
  ])
  expect(found.old.map(({ path }) => path)).toEqual(['src/b.js'])
  expect(found.tests.map(({ path }) => path)).toEqual(['test/a.test.js', 'test/b.test.js'])
})

test('documents are nothing to try teeth on; anything else has its tests heard', async () => {
  expect(await find(before, { ...before, 'README.md': 'other\n' })).toEqual({
    changed: [],
    tests: [],
    old: [],
  })
  const found = await find(before, { ...before, 'data.json': '{}' })
  expect(found.changed).toEqual([])
  expect(found.tests).toHaveLength(2)
})
