import { describe, expect, test } from 'vitest'
import { lookAtSeals, saidOfSeals, type TreeFiles } from '../../testing/look-at-seals.ts'
import { createMemoryTrees } from '../../testing/memory-trees.ts'
import { sealedChanges } from './sealed-changes.ts'

const manifest = (value: object): string => JSON.stringify({ name: 'x', ...value })

const project = {
  'package.json': manifest({ scripts: { test: 'node --test' }, dependencies: { a: '1.0.0' } }),
  'src/sum.js': 'export const sum = (a, b) => a - b',
  'test/sum.test.js': 'test one',
}
const without = (path: string, files: TreeFiles = project): TreeFiles =>
  Object.fromEntries(Object.entries(files).filter(([name]) => name !== path))

describe('what is free', () => {
  test.each<readonly [string, TreeFiles, TreeFiles]>([
    ['nothing', {}, {}],
    ['work on the product', {}, { 'src/sum.js': 'a + b' }],
    ['a new test', {}, { 'test/more.test.js': 'test two' }],
    ['a new test beside its source', {}, { 'src/sum.spec.ts': 'x' }],
    ['a new test in Python', {}, { 'tests/test_a.py': 'x' }],
    ['a new test in Go', {}, { 'pkg/a_test.go': 'func TestA(t *testing.T) {}' }],
    ['a new fixture', {}, { 'test/fixtures/a.json': '{}' }],
    ['a new snapshot of a new test', {}, { 'test/__snapshots__/more.test.js.snap': 'x' }],
    ['a new page', {}, { 'docs/a.md': 'x' }],
    [
      'a new version',
      {},
      {
        'package.json': manifest({
          version: '2.0.0',
          scripts: { test: 'node --test' },
          dependencies: { a: '1.0.0' },
        }),
      },
    ],
    [
      'a new script',
      {},
      {
        'package.json': manifest({
          scripts: { test: 'node --test', dev: 'node .' },
          dependencies: { a: '1.0.0' },
        }),
      },
    ],
    [
      'keys in another order',
      {},
      {
        'package.json': JSON.stringify(
          { dependencies: { a: '1.0.0' }, scripts: { test: 'node --test' } },
          null,
          4,
        ),
      },
    ],
    [
      'exports, type and main',
      {},
      {
        'package.json': manifest({
          type: 'module',
          exports: './b.js',
          main: 'b.js',
          scripts: { test: 'node --test' },
          dependencies: { a: '1.0.0' },
        }),
      },
    ],
    [
      'ignoring what is built',
      { '.gitignore': 'node_modules\n' },
      { '.gitignore': 'node_modules\ndist/\n*.log\n' },
    ],
    ['a new list of what is ignored', {}, { '.gitignore': 'dist\n' }],
    [
      'comments in tsconfig.json',
      { 'tsconfig.json': '{"compilerOptions":{"strict":true}}' },
      { 'tsconfig.json': '// ours\n{"compilerOptions":{"strict":true,"lib":["es2023"],},}' },
    ],
    [
      'a file more that is type-checked',
      { 'tsconfig.json': '{"include":["src"]}' },
      { 'tsconfig.json': '{"include":["src","bin"]}' },
    ],
    [
      'a new package with its own settings',
      {},
      {
        'packages/new/package.json': manifest({ jest: {}, scripts: { test: 'true' } }),
        'packages/new/vitest.config.ts': 'x',
      },
    ],
    [
      'a description in pyproject.toml',
      { 'pyproject.toml': '[project]\nname = "x"\n[tool.pytest.ini_options]\naddopts = "-q"\n' },
      {
        'pyproject.toml':
          '[project]\nname = "y"\nversion = "2"\n\n[tool.pytest.ini_options]\naddopts = "-q" # quiet\n',
      },
    ],
    ['a class whose name ends like a test', { 'src/Latest.java': 'a' }, { 'src/Latest.java': 'b' }],
    [
      'a file of the product with a word of tests in it',
      { 'src/contest.py': 'a' },
      { 'src/contest.py': 'b' },
    ],
  ])('%s', async (_what, before, after) => {
    const found = await lookAtSeals({ ...project, ...before }, { ...project, ...before, ...after })
    expect(saidOfSeals(found)).toEqual([])
    expect(found.overlay.size).toBe(0)
  })

  test('a test that only moved; the old place stays empty, so that it runs once', async () => {
    const found = await lookAtSeals(project, {
      ...without('test/sum.test.js'),
      'src/sum.test.js': 'test one',
    })
    expect(saidOfSeals(found)).toEqual([])
    expect(found.moved).toEqual([{ from: 'test/sum.test.js', to: 'src/sum.test.js' }])
    expect(found.overlay.size).toBe(0)
  })
})

describe('tests', () => {
  test.each<readonly [string, TreeFiles, TreeFiles, string]>([
    ['changed', {}, { 'test/sum.test.js': 'test.skip' }, 'changed test test/sum.test.js'],
    ['emptied', {}, { 'test/sum.test.js': '' }, 'changed test test/sum.test.js'],
    [
      'a helper',
      { 'test/tools/a.js': 'a' },
      { 'test/tools/a.js': 'process.exit(0)' },
      'changed test test/tools/a.js',
    ],
    [
      'a snapshot',
      { 'src/__snapshots__/a.snap': 'a' },
      { 'src/__snapshots__/a.snap': 'b' },
      'changed test src/__snapshots__/a.snap',
    ],
    [
      'a new snapshot of an old test',
      {},
      { 'test/__snapshots__/sum.test.js.snap': 'x' },
      'added test test/__snapshots__/sum.test.js.snap',
    ],
    ['Python', { 'pkg/test_a.py': 'a' }, { 'pkg/test_a.py': 'b' }, 'changed test pkg/test_a.py'],
    ['Go', { 'a_test.go': 'a' }, { 'a_test.go': 'b' }, 'changed test a_test.go'],
    ['Rust', { 'tests/a.rs': 'a' }, { 'tests/a.rs': 'b' }, 'changed test tests/a.rs'],
    [
      'Java',
      { 'src/main/ATest.java': 'a' },
      { 'src/main/ATest.java': 'b' },
      'changed test src/main/ATest.java',
    ],
    [
      'Kotlin',
      { 'm/src/integrationTest/A.kt': 'a' },
      { 'm/src/integrationTest/A.kt': 'b' },
      'changed test m/src/integrationTest/A.kt',
    ],
    [
      'a mode',
      {},
      { 'test/sum.test.js': { executable: 'test one' } },
      'changed test test/sum.test.js',
    ],
    [
      'a link in its place',
      {},
      { 'test/sum.test.js': { link: '../src/sum.js' } },
      'changed test test/sum.test.js',
    ],
    ['a new link among them', {}, { 'test/other': { link: '/tmp' } }, 'added test test/other'],
    ['a setup file', {}, { 'test/setup.js': 'x' }, 'added test test/setup.js'],
    ['vitest.setup.ts', {}, { 'vitest.setup.ts': 'x' }, 'added test vitest.setup.ts'],
    ['a mock of a package', {}, { '__mocks__/fs.js': 'x' }, 'added test __mocks__/fs.js'],
    [
      'conftest.py, even in a new folder',
      {},
      { 'tests/new/conftest.py': 'x' },
      'added test tests/new/conftest.py',
    ],
    [
      'TestMain in a new file',
      {},
      { 'b_test.go': 'func TestMain(m *testing.M) { os.Exit(0) }' },
      'added test b_test.go',
    ],
    [
      'settings of JUnit',
      {},
      { 'src/test/resources/junit-platform.properties': 'x' },
      'added test src/test/resources/junit-platform.properties',
    ],
  ])('%s', async (_what, before, after, expected) => {
    const base = { ...project, ...before }
    const found = await lookAtSeals(base, { ...base, ...after })
    expect(saidOfSeals(found)).toEqual([expected])
    expect(found.laid).toEqual(base)
    expect(found.unlaid).toEqual([])
  })

  test('a test that was removed is put back', async () => {
    const found = await lookAtSeals(project, without('test/sum.test.js'))
    expect(saidOfSeals(found)).toEqual(['removed test test/sum.test.js'])
    expect(found.laid).toEqual(project)
    expect(found.paths).toEqual(['test/sum.test.js'])
  })

  test.each<readonly [string, string]>([
    ['to where no runner looks', 'old/sum.js'],
    ['with another spelling of its folder', 'Test/sum.test.js'],
    ['with another spelling of its name', 'test/Sum.test.js'],
    ['into another kind of place', 'test/sum.js'],
  ])('a test that moved %s was removed', async (_what, to) => {
    const found = await lookAtSeals(project, { ...without('test/sum.test.js'), [to]: 'test one' })
    expect(saidOfSeals(found)).toContain('removed test test/sum.test.js')
    expect(found.laid['test/sum.test.js']).toBe('test one')
  })

  test('two tests of the same content cannot both move to one place', async () => {
    const base = { 'test/a.test.js': 'x', 'test/b.test.js': 'x' }
    const found = await lookAtSeals(base, { 'src/a.test.js': 'x' })
    expect(found.moved).toHaveLength(1)
    expect(saidOfSeals(found)).toEqual(['removed test test/b.test.js'])
  })

  test('a folder of tests that became a link is a folder again', async () => {
    const found = await lookAtSeals(project, {
      ...without('test/sum.test.js'),
      test: { link: 'elsewhere' },
    })
    expect(saidOfSeals(found)).toEqual(['added test test', 'removed test test/sum.test.js'])
    expect([...found.overlay.keys()]).toEqual(['test', 'test/sum.test.js'])
    expect(found.overlay.get('test')).toBeNull()
    expect(found.laid).toEqual(project)
  })

  test('a folder in the place of a sealed file goes away first', async () => {
    const base = { 'vitest.config.ts': 'a' }
    const found = await lookAtSeals(base, { 'vitest.config.ts/x': 'b' })
    expect([...found.overlay]).toMatchObject([
      ['vitest.config.ts/x', null],
      ['vitest.config.ts', { kind: 'file' }],
    ])
  })

  test('what cannot be put back is named', async () => {
    const trees = createMemoryTrees()
    const [base, tree] = [trees.put(project), trees.put(without('test/sum.test.js'))]
    const found = await sealedChanges({ ...trees, read: async () => undefined }, base, tree)
    expect(found.unlaid).toEqual(['test/sum.test.js'])
  })
})
