import { describe, expect, test } from 'vitest'
import { type ClassifyOptions, classifyTrees, classLines } from '../../testing/classify-trees.ts'

const scripts = { test: 'npm run unit', unit: 'node --test', build: 'tsc', dev: 'node .' }
const before = { name: 'x', version: '1.0.0', exports: './a.js', scripts, dependencies: { a: '1' } }

const changed = async (
  path: string,
  texts: readonly [string, string],
  options?: ClassifyOptions,
): Promise<readonly string[]> =>
  classLines(await classifyTrees({ [path]: texts[0] }, { [path]: texts[1] }, options))

test('keys of a manifest that tests read are not free', async () => {
  const was = { 'package.json': '{"version":"1.0.0"}', 'test/a.test.js': "read('../package.json')" }
  const now = { 'package.json': '{"version":"2.0.0"}' }
  expect(classLines(await classifyTrees(was, now))).toEqual(['other package.json [version]'])
})

describe('package.json', () => {
  test.each<readonly [string, object, string]>([
    [
      'a new version',
      { version: '2.0.0', author: 'me' },
      'free-keys package.json [author version]',
    ],
    ['another name', { name: 'chai' }, 'other package.json [name]'],
    [
      'conditions of exports',
      { exports: { development: './b.js', default: './a.js' } },
      'other package.json [exports exports.default exports.development]',
    ],
    ['imports', { imports: { '#a': './b.js' } }, 'other package.json [imports imports.#a]'],
    ['a runner', { jest: { testEnvironment: 'x' } }, 'other package.json [jest.testEnvironment]'],
    [
      'the script of a check',
      { scripts: { ...scripts, test: 'true' } },
      'other package.json [scripts.test]',
    ],
    [
      'what it starts',
      { scripts: { ...scripts, unit: 'true' } },
      'other package.json [scripts.unit]',
    ],
    [
      'what npm runs before it',
      { scripts: { ...scripts, preunit: 'x' } },
      'other package.json [scripts.preunit]',
    ],
    [
      'an install hook',
      { scripts: { ...scripts, prepare: 'x' } },
      'other package.json [scripts.prepare]',
    ],
    [
      'a script that no check starts',
      { scripts: { ...scripts, dev: 'x', go: 'y' } },
      'free-keys package.json [scripts.dev scripts.go]',
    ],
    ['a dependency', { dependencies: { a: '2' } }, 'dependencies package.json [dependencies.a]'],
    [
      'a dependency and a closed key',
      { dependencies: { a: '2' }, type: 'module' },
      'other package.json [dependencies.a type]',
    ],
  ])('%s', async (_name, changes, expected) => {
    const texts = [
      JSON.stringify(before),
      JSON.stringify({ ...before, ...changes }, null, 4),
    ] as const
    expect(await changed('package.json', texts)).toEqual([expected])
  })

  test('a shell line names the script that it runs', async () => {
    const after = JSON.stringify({ ...before, scripts: { ...scripts, dev: 'x' } })
    const texts = [JSON.stringify(before), after] as const
    const asText = { commands: [['/bin/sh', '-c', 'npm test']] }
    expect(await changed('package.json', texts, asText)).toEqual([
      'free-keys package.json [scripts.dev]',
    ])
    const opaque = { commands: [['/bin/sh', '-c', 'make test']] }
    expect(await changed('package.json', texts, opaque)).toEqual([
      'other package.json [scripts.dev]',
    ])
  })

  test('a test of the base that runs scripts closes the existing ones', async () => {
    const files = { 'package.json': JSON.stringify(before), 'a.test.js': "exec('npm run dev')" }
    const after = { ...before, scripts: { ...scripts, dev: 'x' } }
    const found = await classifyTrees(files, { 'package.json': JSON.stringify(after) })
    expect(classLines(found)).toEqual(['other package.json [scripts.dev]'])
  })

  test('formatting is free, and a manifest that does not parse needs an approval', async () => {
    const text = JSON.stringify(before)
    expect(await changed('package.json', [text, JSON.stringify(before, null, 2)])).toEqual([
      'free-keys package.json',
    ])
    expect(await changed('package.json', [text, '{'])).toEqual(['other package.json'])
  })
})

describe('other manifests', () => {
  test.each<readonly [string, string, string, string]>([
    [
      'tsconfig.json',
      '{"include": ["src"]}',
      '{"include": ["src", "b"]}',
      'other tsconfig.json [include]',
    ],
    [
      'tsconfig.json',
      '{"include": ["src"]}',
      '// x\n{"include": ["src"],}',
      'free-keys tsconfig.json',
    ],
    [
      'pyproject.toml',
      '[project]\nversion = "1"\ndependencies = []\n',
      '[project]\r\nversion = "2"\r\ndependencies = []\r\n',
      'free-keys pyproject.toml [project.version]',
    ],
    [
      'pyproject.toml',
      '[project]\ndependencies = []\n',
      '[project]\ndependencies = ["a"]\n',
      'dependencies pyproject.toml [project.dependencies]',
    ],
    [
      'pyproject.toml',
      '[project]\nname = "x"\n',
      '[project]\nname = "x"\n[tool.pytest.ini_options]\naddopts = "-x"\n',
      'other pyproject.toml [tool.pytest.ini_options tool.pytest.ini_options.addopts]',
    ],
    [
      'Cargo.toml',
      '[package]\nname = "x"\n',
      '[package]\nname = "x"\n[lib]\npath = "b.rs"\n',
      'other Cargo.toml [lib lib.path]',
    ],
    [
      'Cargo.toml',
      '[package]\nname = "x"\n[features]\ndefault = []\n',
      '[package]\nname = "x"\n[features]\ndefault = ["mock"]\n',
      'other Cargo.toml [features.default]',
    ],
    [
      'setup.cfg',
      '[metadata]\nversion = 1\n',
      '[metadata]\nversion = 2\n',
      'free-keys setup.cfg [metadata.version]',
    ],
  ])('%s: %s → %s', async (path, was, is, expected) => {
    expect(await changed(path, [was, is])).toEqual([expected])
  })
})
