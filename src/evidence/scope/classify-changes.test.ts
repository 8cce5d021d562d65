import { describe, expect, test } from 'vitest'
import {
  type ClassifyOptions,
  classifyTrees,
  classLines,
  type TreeFiles,
} from '../../testing/classify-trees.ts'
import type { TreeContent } from '../../testing/memory-trees.ts'

const json = (value: object): string => JSON.stringify({ name: 'x', ...value })

/** A package with an entry, a helper that only tests use, and data of both. */
const library = {
  'package.json': json({
    exports: './src/index.js',
    scripts: { test: 'node --test', dev: 'node .' },
  }),
  'src/index.js': "export * from './sum.js'\nimport words from './words.json'",
  'src/sum.js': 'a - b',
  'src/words.json': '[]',
  'src/expected.json': '{"a": 1}',
  'src/check.js': 'export const check = 1',
  'src/plugin.js': 'nothing imports this',
  'test/sum.test.js':
    "import { sum } from '../src/sum.js'\nimport '../src/check.js'\nread('../src/expected.json')",
  'test/helper.js': 'x',
  'docs/guide.md': 'x',
}

const noEntries: TreeFiles = {
  'package.json': json({ scripts: { test: 'node --test' } }),
  'src/sum.js': 'a - b',
  'src/expected.json': '{}',
  'src/sum-test.js': "import './sum.js'\nimport x from './expected.json'",
}

type Changes = { readonly [path: string]: TreeContent | null }
type Row = readonly [string, TreeFiles, Changes, readonly string[], ClassifyOptions?]

function testRows(rows: readonly Row[], given: ClassifyOptions = {}): void {
  test.each(rows.map((row) => ({ name: row[0], row })))('$name', async ({ row }) => {
    const [, before, changes, expected, options] = row
    const found = await classifyTrees(before, changes, { ...given, ...options })
    expect(classLines(found)).toEqual(expected)
  })
}

describe('work', () => {
  testRows([
    ['code that an entry leads to', library, { 'src/sum.js': 'a + b' }, ['work src/sum.js']],
    ['code that nothing refers to', library, { 'src/plugin.js': 'y' }, ['work src/plugin.js']],
    ['a new file of a known kind', library, { 'src/new.js': 'y' }, ['work src/new.js']],
    ['a removed file', library, { 'src/plugin.js': null }, ['work src/plugin.js']],
    [
      'documents that only manifests mention',
      { ...library, 'pyproject.toml': '[project]\nreadme = "README.md"\n' },
      { 'README.md': 'y', 'docs/guide.md': null, LICENSE: 'z' },
      ['documents LICENSE', 'documents README.md', 'documents docs/guide.md'],
    ],
    ['data of the product', library, { 'src/words.json': '[1]' }, ['work src/words.json']],
    [
      'new data to which new code refers',
      library,
      { 'src/more.json': '[1]', 'src/sum.js': "import './more.json'" },
      ['work src/more.json', 'work src/sum.js'],
    ],
    [
      'code that only tests import, without entries',
      noEntries,
      { 'src/sum.js': '() => a + b' },
      ['work src/sum.js'],
    ],
    [
      'values that only tests import beside code, without entries',
      {
        ...noEntries,
        'src/values.js': 'export const expected = 3',
        'src/sum-test.js': "import './sum.js'\nimport './values.js'",
      },
      { 'src/values.js': 'export const expected = 4' },
      ['other src/values.js'],
    ],
    [
      'values that are all that tests import, without entries',
      noEntries,
      { 'src/sum.js': 'export const expected = 3' },
      ['work src/sum.js'],
    ],
    [
      'a file that moved',
      library,
      { 'src/sum.js': null, 'src/math/add.js': 'a - b' },
      ['work src/math/add.js'],
    ],
    ['line endings, other scripts', library, { 'src/sum.js': 'a\r\nπ' }, ['work src/sum.js']],
    ['a name that is not ASCII', library, { 'src/größe.js': 'x' }, ['work src/größe.js']],
    [
      'what the loop file says',
      library,
      { 'src/check.js': 'y', 'test/helper.js': 'y', 'src/sum.js': 'y' },
      ['work src/check.js', 'other src/sum.js', 'work test/helper.js'],
      { globs: ['src/**', 'test/**', '!src/sum.js'] },
    ],
    [
      'what the loop file excludes',
      library,
      { 'test/helper.js': 'y' },
      ['work test/helper.js'],
      { seals: { except: ['test/**'] } },
    ],
  ])
})

describe('needs an approval', () => {
  testRows([
    ['code to which only tests refer', library, { 'src/check.js': 'y' }, ['other src/check.js']],
    [
      'data to which only tests refer',
      library,
      { 'src/expected.json': '1' },
      ['other src/expected.json'],
    ],
    [
      'the same, when the agent makes the product refer to it',
      library,
      { 'src/expected.json': '1', 'src/sum.js': "'./expected.json'" },
      ['other src/expected.json', 'work src/sum.js'],
    ],
    ['data without entries', noEntries, { 'src/expected.json': '1' }, ['other src/expected.json']],
    [
      'a test with an unknown naming pattern',
      noEntries,
      { 'src/sum-test.js': 'y' },
      ['other src/sum-test.js'],
    ],
    ['a removed test', library, { 'test/sum.test.js': null }, ['other test/sum.test.js']],
    ['a helper of tests', library, { 'test/helper.js': 'y' }, ['other test/helper.js']],
    ['settings of a tool', library, { 'postcss.config.mjs': 'y' }, ['other postcss.config.mjs']],
    [
      'the same in a folder of the scope',
      library,
      { 'src/postcss.config.js': 'y' },
      ['other src/postcss.config.js'],
    ],
    ['a link', library, { 'src/sum.js': { link: 'check.js' } }, ['other src/sum.js']],
    ['a twin with another ending', library, { 'src/sum.mjs': 'y' }, ['other src/sum.mjs']],
    ['a twin without an ending', library, { 'src/sum': 'y' }, ['other src/sum']],
    ['a twin as a folder', library, { 'src/sum/index.js': 'y' }, ['other src/sum/index.js']],
    [
      'a file kind that the scope does not contain',
      library,
      { 'src/x.mjs': 'y' },
      ['other src/x.mjs'],
    ],
    [
      'a document that a test mentions',
      { ...library, 'test/docs.test.js': "read('docs/guide.md')" },
      { 'docs/guide.md': 'y' },
      ['other docs/guide.md'],
    ],
    [
      'a document that the product mentions',
      { ...library, 'src/plugin.js': "read('../docs/guide.md')" },
      { 'docs/guide.md': 'y' },
      ['other docs/guide.md'],
    ],
    [
      'a test that moved',
      library,
      { 'test/sum.test.js': null, 'deep/sum.test.js': library['test/sum.test.js'] },
      ['other deep/sum.test.js'],
    ],
    [
      'a snapshot of an existing test',
      library,
      { 'test/__snapshots__/sum.test.js.snap': 'x' },
      ['other test/__snapshots__/sum.test.js.snap'],
    ],
    [
      'a package that others use for tests',
      {
        'package.json': json({
          main: 'index.js',
          devDependencies: { kit: '*' },
          workspaces: ['kit'],
        }),
        'index.js': 'x',
        'kit/package.json': JSON.stringify({ name: 'kit', main: 'index.js' }),
        'kit/index.js': 'x',
      },
      { 'kit/index.js': 'y' },
      ['other kit/index.js'],
    ],
    [
      'a module that Python and its runners would load',
      { 'pyproject.toml': '[project]\nname = "x"\n', 'x.py': 'a' },
      { 'json.py': 'y', 'x.py': 'b' },
      ['other json.py', 'work x.py'],
    ],
  ])

  test('with a reason', async () => {
    const [change] = await classifyTrees(library, { 'src/check.js': 'y' })
    expect(change?.why).toBe('only tests refer to it')
    const [twin] = await classifyTrees(library, { 'src/sum.mjs': 'y' })
    expect(twin?.why).toContain('src/sum.js')
  })
})

describe('tests', () => {
  const lib =
    'fn a() {}\n#[cfg(test)]\nmod tests {\n  #[test] fn b() { assert!(true) }\n}\n#[cfg(test)] mod cases;'
  const rust: TreeFiles = {
    'Cargo.toml': '[package]\nname = "x"\n',
    'src/lib.rs': lib,
    'src/cases.rs': 'x',
    'src/more.rs': 'fn c() {}',
  }
  testRows([
    ['a new test file', library, { 'test/b.test.js': 'y' }, ['new-test test/b.test.js']],
    ['a new test in the scope', library, { 'src/b.test.js': 'y' }, ['new-test src/b.test.js']],
    [
      'tests that were added',
      library,
      { 'test/sum.test.js': `${library['test/sum.test.js']}\nmore` },
      ['new-test test/sum.test.js'],
    ],
    [
      'a snapshot of a new test',
      library,
      { 'test/b.test.js': 'y', 'test/__snapshots__/b.test.js.snap': 'x' },
      ['new-test test/__snapshots__/b.test.js.snap', 'new-test test/b.test.js'],
    ],
    [
      'code around tests in the same file',
      rust,
      { 'src/lib.rs': lib.replace('fn a() {}', 'fn a() { 1 }') },
      ['work src/lib.rs'],
    ],
    [
      'tests inside a product file',
      rust,
      { 'src/lib.rs': lib.replace('true', '1 == 1') },
      ['other src/lib.rs'],
    ],
    ['a module only for tests', rust, { 'src/cases.rs': 'y' }, ['other src/cases.rs']],
    [
      'code that only tests compile',
      rust,
      { 'src/more.rs': '#[cfg(not(test))] fn c() {}' },
      ['other src/more.rs'],
    ],
    [
      'a Go test, whose runner does not report its file',
      { 'go.mod': 'module x', 'a.go': 'x', 'a_test.go': 'x' },
      { 'a.go': 'y', 'a_test.go': 'y', 'b_test.go': 'func TestB()', 'c_test.go': 'func TestMain(' },
      ['work a.go', 'other a_test.go', 'new-test b_test.go', 'other c_test.go'],
      { isTest: () => false },
    ],
  ])
})

describe('what no check read', () => {
  const names = '.env.example docs/guide.md .github/ci.yml src/plugin.js link .gitignore'
  const unread = [...names.split(' '), '.gitattributes', 'src/.gitattributes']
  testRows(
    [
      [
        'needs no approval',
        library,
        { '.env.example': 'y', 'docs/guide.md': 'y', '.github/ci.yml': 'y', 'src/plugin.js': 'y' },
        ['.env.example', '.github/ci.yml', 'docs/guide.md', 'src/plugin.js'].map(
          (path) => `not-read ${path}`,
        ),
      ],
      ['needs an approval if it is a link', library, { link: { link: 'src' } }, ['other link']],
      [
        'needs an approval if git follows it',
        library,
        { '.gitattributes': 'y', 'src/.gitattributes': 'y', '.gitignore': 'y' },
        ['other .gitattributes', 'not-read .gitignore', 'other src/.gitattributes'],
      ],
      [
        'needs an approval if reads are unknown',
        library,
        { 'docs/guide.md': 'y', '.env.example': 'y' },
        ['other .env.example', 'documents docs/guide.md'],
        { readOnTree: undefined },
      ],
      [
        'stays sealed',
        library,
        { '.loop/a.md': 'y' },
        ['sealed .loop/a.md'],
        { unread: ['.loop/a.md'] },
      ],
      [
        'is a dependency if it is a lockfile',
        library,
        { 'package-lock.json': '{}' },
        ['dependencies package-lock.json'],
        { unread: ['package-lock.json'] },
      ],
    ],
    { unread },
  )
})
