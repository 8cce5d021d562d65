import { describe, expect, test } from 'vitest'
import { defined } from '../../loop/index.ts'
import { createMemoryTrees } from '../../testing/memory-trees.ts'
import { scopeOf } from './scope-of.ts'

const derive = async (files: { readonly [path: string]: string }, scope?: readonly string[]) => {
  const trees = createMemoryTrees()
  return scopeOf(trees, trees.put(files), defined({ scope }))
}

describe('the scope of manifests', () => {
  test.each<
    readonly [string, { readonly [path: string]: string }, readonly string[], readonly string[]]
  >([
    [
      'the source from which a build creates the entry',
      { 'package.json': '{"main": "./dist/index.js"}', 'src/index.ts': 'x', 'tools/a.ts': 'x' },
      ['src/index.ts', 'src/new.ts', 'src/new.tsx'],
      ['tools/a.ts', 'src/new.mjs', 'package.json', 'vite.config.ts', 'src/a.test.ts'],
    ],
    [
      'what an entry at the top imports',
      {
        'package.json': '{"main": "index.js"}',
        'index.js': "require('./util/a')",
        'util/a.js': 'x',
        'hack/b.js': 'x',
      },
      ['index.js', 'other.js', 'util/a.js', 'util/b.js'],
      ['hack/b.js', 'jest.config.js', '.eslintrc.js'],
    ],
    [
      'packages of a workspace',
      {
        'package.json': '{"workspaces": ["packages/*"]}',
        'packages/a/package.json': '{"name": "a", "exports": {".": "./lib/a.js"}}',
        'packages/a/lib/a.js': 'x',
      },
      ['packages/a/lib/a.js', 'packages/a/lib/b.js'],
      ['packages/a/script.js'],
    ],
    [
      'Python packages and modules',
      {
        'pyproject.toml': '[tool.setuptools]\npackages = ["shop"]\n',
        'shop/cart.py': 'x',
        'run.py': 'x',
      },
      ['shop/cart.py', 'shop/new.py', 'run.py'],
      ['conftest.py', 'setup.py', 'tests/helper.py', 'json.py', 'x.egg-info/entry_points.txt'],
    ],
    [
      'a crate',
      {
        'Cargo.toml': '[package]\nname = "x"\n',
        'src/lib.rs': 'x',
        'build.rs': 'x',
        'examples/a.rs': 'x',
      },
      ['src/lib.rs', 'src/deep/b.rs'],
      ['build.rs', 'tests/a.rs', 'benches/a.rs', 'examples/a.rs'],
    ],
    [
      'a Go module',
      { 'go.mod': 'module x', 'a.go': 'x' },
      ['a.go', 'cmd/b.go'],
      ['a_test.go', 'Makefile', 'testdata/a.go'],
    ],
    [
      'nothing',
      { 'sum.sh': 'x', 'b/c.lua': 'x' },
      ['sum.sh', 'b/c.lua'],
      ['Makefile', '.env', 'test/a.sh'],
    ],
  ])('%s', async (_name, files, work, others) => {
    const { isWork, from } = await derive(files)
    expect(from).toBe('manifest')
    expect(work.filter((path) => !isWork(path))).toEqual([])
    expect(others.filter((path) => isWork(path))).toEqual([])
  })

  test('is described line by line', async () => {
    const { lines } = await derive({
      'package.json': '{"exports": "./dist/index.js", "files": ["lib"]}',
      'src/index.ts': 'x',
      'lib/a.js': 'x',
    })
    expect(lines).toEqual(['src/** (exports of package.json)', 'lib/** (files of package.json)'])
  })
})

test('the loop file names the scope instead, and excludes with !', async () => {
  const { isWork, lines, from } = await derive({}, ['app/**', '!app/gen/**'])
  expect(from).toBe('loop-file')
  expect(lines[0]).toBe('app/** (scope of the loop file)')
  expect(['app/a.js', 'app/gen/b.js', 'src/a.js'].map(isWork)).toEqual([true, false, false])
})

test('refuses an invalid pattern', async () => {
  await expect(derive({}, ['(a+)+'])).rejects.toMatchObject({ code: 'bad-loop-file' })
})
