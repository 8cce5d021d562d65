import { expect, test } from 'vitest'
import { createMemoryTrees } from '../../testing/memory-trees.ts'
import { planLayer } from './plan-layer.ts'

const lockfile = {
  lockfileVersion: 3,
  packages: {
    '': { name: 'all' },
    'node_modules/runner': { resolved: 'packages/runner', link: true },
    'packages/runner': { bin: { runner: './cli/run.js' } },
    'node_modules/other': { bin: { other: 'src/product.js' } },
  },
}

test('what npm links to lies in the folder of the install, and nothing else of the tree', async () => {
  const trees = createMemoryTrees()
  const tree = trees.put({
    'package.json': '{}',
    'package-lock.json': JSON.stringify(lockfile),
    'packages/runner/package.json': '{}',
    'packages/runner/cli/run.js': 'x',
    'packages/runner/cli/more.js': 'x',
    'src/product.js': 'x',
    'node_modules/other/src/product.js': 'x',
  })
  const [plan] = await planLayer(trees, tree)
  expect([...(plan?.files.keys() ?? [])].toSorted()).toEqual([
    'package-lock.json',
    'package.json',
    'packages/runner/cli/run.js',
    'packages/runner/package.json',
  ])
})

test('a lockfile that cannot be read names no programs', async () => {
  const trees = createMemoryTrees()
  const tree = trees.put({ 'package.json': '{}', 'package-lock.json': '{' })
  const [plan] = await planLayer(trees, tree)
  expect(plan?.files.size).toBe(2)
})
