import { describe, expect, test } from 'vitest'
import { createMemoryTrees, type TreeContent } from '../../testing/memory-trees.ts'
import type { SealedChanges, SealRules } from './sealed-change.ts'
import { sealedChanges } from './sealed-changes.ts'

type Files = { readonly [path: string]: TreeContent }
type Seen = SealedChanges & { readonly laid: { readonly [path: string]: string } }

async function look(before: Files, after: Files, rules: SealRules = {}): Promise<Seen> {
  const trees = createMemoryTrees()
  const [base, tree] = [trees.put(before), trees.put(after)]
  const found = await sealedChanges(trees, base, tree, rules)
  return { ...found, laid: trees.over(tree, found.overlay) }
}

const said = ({ changes }: SealedChanges): readonly string[] =>
  changes.map(({ what, kind, path, key }) =>
    [what, kind, path, ...(key === undefined ? [] : [key])].join(' '),
  )

const manifest = (value: object): string => JSON.stringify({ name: 'x', ...value })

const project = {
  'package.json': manifest({ scripts: { test: 'node --test' }, dependencies: { a: '1.0.0' } }),
  'src/sum.js': 'export const sum = (a, b) => a - b',
  'test/sum.test.js': 'test one',
}

describe('tests', () => {
  test('a test that was changed, emptied or removed is a change, and the base has it back', async () => {
    const changed = await look(project, { ...project, 'test/sum.test.js': 'test.skip' })
    expect(said(changed)).toEqual(['changed test test/sum.test.js'])
    expect(changed.laid['test/sum.test.js']).toBe('test one')
    const { 'test/sum.test.js': _gone, ...without } = project
    const removed = await look(project, without)
    expect(said(removed)).toEqual(['removed test test/sum.test.js'])
    expect(removed.laid).toEqual(project)
    expect(removed.paths).toEqual(['test/sum.test.js'])
  })
})
