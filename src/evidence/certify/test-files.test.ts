import { describe, expect, test } from 'vitest'
import { createMemoryTrees } from '../../testing/memory-trees.ts'
import { scopeOf } from '../scope/index.ts'
import { findTestFiles, findTestReferences, type TestFiles } from './test-files.ts'

const named = (path: string): boolean =>
  /\.test\.js$|_test\.go$|^tests\/|^src\/inline\.js$/.test(path)

async function filesOf(paths: readonly string[], texts: Readonly<Record<string, string>> = {}) {
  const reader = createMemoryTrees()
  const tree = reader.put({ ...Object.fromEntries(paths.map((path) => [path, 'x'])), ...texts })
  return findTestFiles(reader, tree, await scopeOf(reader, tree, {}), named)
}

const references = (
  path: string,
  after: string,
  tests: TestFiles,
  before = '',
): readonly string[] =>
  findTestReferences(path, before, after, tests).map((line) => line.replace(/^.*?:/, ''))

describe('test files', () => {
  test('are files that runners name, and folders without product code', async () => {
    const { has } = await filesOf(['package.json', 'src/a.js', 'src/b.test.js', 'test/a.test.js'])
    expect(['src/b.test.js', 'test/a.test.js', 'test'].every(has)).toBe(true)
    expect(['src', 'src/a.js', 'test/data.json'].some(has)).toBe(false)
  })

  test('are not product files with tests inside', async () => {
    const inline = "if (import.meta.vitest) {\n  import.meta.vitest.test('x', () => {})\n}\n"
    const { has } = await filesOf(['package.json', 'src/a.js'], { 'src/inline.js': inline })
    expect(has('src/inline.js')).toBe(false)
  })
})

describe('references to tests', () => {
  test.each([
    [
      'src/a.js',
      "readFileSync(new URL('../test/a.test.js', import.meta.url))",
      '../test/a.test.js',
    ],
    ['src/a.js', "existsSync('../test')", '../test'],
    ['src/a.js', "import text from '../test/a.test.js?raw'", '../test/a.test.js'],
    ['src/a.js', "import.meta.glob('../**/*.js', { eager: true })", '../**/*.js'],
    ['a.go', '//go:embed a_test.go\nvar text string', './a_test.go'],
    ['a.go', '//go:embed *.go\nvar all embed.FS', './*.go'],
    ['src/lib.rs', 'include_str!("../tests/all.rs")', '../tests/all.rs'],
    [
      'src/lib.rs',
      'include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/te", "sts/all.rs"))',
      '/tests/all.rs',
    ],
  ])('in %s: %s', async (path, text, literal) => {
    const tests = await filesOf([
      'package.json',
      'src/a.js',
      'src/lib.rs',
      'a.go',
      'a_test.go',
      'test/a.test.js',
      'tests/all.rs',
    ])
    expect(references(path, text, tests)).toEqual([`1 (${literal})`])
    expect(references(path, text, tests, text)).toEqual([])
  })

  test.each([
    ['src/a.js', "process.env.NODE_ENV === 'test'"],
    ['src/a.js', "import './b.js'\nimport.meta.glob('./locales/*.json')"],
    ['src/a.js', "const files = '**/*.js'"],
    ['src/lib.rs', '#[cfg(test)]\nmod all;'],
    ['a.go', '//go:embed static/*.html\nvar pages embed.FS'],
  ])('none in %s: %s', async (path, text) => {
    const tests = await filesOf([
      'package.json',
      'src/a.js',
      'a_test.go',
      'test/a.test.js',
      'tests/all.rs',
    ])
    expect(references(path, text, tests)).toEqual([])
  })
})
