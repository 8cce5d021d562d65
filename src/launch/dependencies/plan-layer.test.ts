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

test('programs that npm links to are in the install folder, and nothing else of the tree', async () => {
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

test('an unreadable lockfile has no programs', async () => {
  const trees = createMemoryTrees()
  const tree = trees.put({ 'package.json': '{}', 'package-lock.json': '{' })
  const [plan] = await planLayer(trees, tree)
  expect(plan?.files.size).toBe(2)
})

test('local packages that the lockfile refers to and the tree lacks are reported', async () => {
  const trees = createMemoryTrees()
  const packages = {
    'node_modules/there': { resolved: 'file:vendor/there-1.0.0.tgz' },
    'node_modules/folder': { resolved: 'file:packages/folder' },
    'node_modules/gone': { resolved: 'file:vendor/gone-1.0.0.tgz' },
    'node_modules/far': { resolved: 'https://registry.example/far.tgz' },
  }
  const tree = trees.put({
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }),
    'vendor/there-1.0.0.tgz': 'x',
    'packages/folder/package.json': '{}',
  })
  const [plan] = await planLayer(trees, tree)
  expect(plan?.missing).toEqual(['vendor/gone-1.0.0.tgz'])
})

test('requirements of a tool inside a Python project are not installed', async () => {
  const trees = createMemoryTrees()
  const tool = { 'profiler/requirements.txt': 'gprof2dot\n' }
  expect(await planLayer(trees, trees.put(tool))).toHaveLength(1)
  expect(await planLayer(trees, trees.put({ ...tool, 'pyproject.toml': '' }))).toEqual([])
})

test('nothing is installed if the packages are committed in the vendor folder', async () => {
  const trees = createMemoryTrees()
  const go = { 'go.mod': 'module t\n', 'go.sum': '' }
  expect(await planLayer(trees, trees.put(go))).toHaveLength(1)
  expect(await planLayer(trees, trees.put({ ...go, 'vendor/modules.txt': '' }))).toEqual([])
  const cargo = {
    'Cargo.toml': '',
    'Cargo.lock': '',
    'vendor/itoa/.cargo-checksum.json': '{}',
  }
  expect(await planLayer(trees, trees.put(cargo))).toHaveLength(1)
  const settled = { ...cargo, '.cargo/config.toml': '[source.crates-io]\n' }
  expect(await planLayer(trees, trees.put(settled))).toEqual([])
})

test('a commit with .pnp.cjs keeps Plug’n’Play; the layer has the archives that the commit lacks', async () => {
  const trees = createMemoryTrees()
  const project = {
    'package.json': '{"name":"t"}',
    'yarn.lock':
      '__metadata:\n  version: 8\n\n"t@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "t@workspace:."\n',
    '.pnp.cjs': '',
  }
  const [plain] = await planLayer(trees, trees.put(project))
  expect(plain).toMatchObject({
    isPnp: true,
    lockfile: { installs: ['.yarn/unplugged', '.yarn/cache'] },
  })
  const zero = { ...project, '.yarn/cache/a-npm-1.0.0-1-2.zip': 'x' }
  const [installed] = await planLayer(trees, trees.put(zero))
  expect(installed?.lockfile.installs).toEqual(['.yarn/unplugged'])
  expect(installed?.files.has('.yarn/cache/a-npm-1.0.0-1-2.zip')).toBe(true)
  const { '.pnp.cjs': _pnp, ...without } = project
  const [modules] = await planLayer(trees, trees.put(without))
  expect(modules?.lockfile.installs).toEqual(['node_modules'])
})
