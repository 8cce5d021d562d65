// TreeFiles that are sealed by key.

import { describe, expect, test } from 'vitest'
import { lookAtSeals, type SeenSeals, saidOfSeals } from '../../testing/look-at-seals.ts'
import { type TreeContent } from '../../testing/memory-trees.ts'

const manifest = (value: object): string => JSON.stringify({ name: 'x', ...value })

describe('package.json', () => {
  const base = { scripts: { test: 'node --test', 'test:all': 'npm test' }, version: '1.0.0' }

  test.each<readonly [string, object, string]>([
    [
      'a script that passes always',
      { scripts: { ...base.scripts, test: 'true' } },
      'changed script package.json scripts.test',
    ],
    [
      'a script that others start',
      { scripts: { ...base.scripts, 'test:all': 'true' } },
      'changed script package.json scripts.test:all',
    ],
    [
      'a script that is gone',
      { scripts: { test: 'node --test' } },
      'removed script package.json scripts.test:all',
    ],
    [
      'a hook before it',
      { scripts: { ...base.scripts, pretest: 'rm -r test' } },
      'added script package.json scripts.pretest',
    ],
    [
      'a hook after it',
      { scripts: { ...base.scripts, 'posttest:all': 'x' } },
      'added script package.json scripts.posttest:all',
    ],
    [
      'what runs while it is installed',
      { scripts: { ...base.scripts, postinstall: 'x' } },
      'added script package.json scripts.postinstall',
    ],
    [
      'a script that conditions start',
      { scripts: { ...base.scripts, lint: 'true' } },
      'added script package.json scripts.lint',
    ],
    [
      'settings of a runner',
      { jest: { testMatch: ['none'] } },
      'added configuration package.json jest',
    ],
    [
      'an override',
      { overrides: { vitest: 'file:fake' } },
      'added dependencies package.json overrides',
    ],
    [
      'a dependency',
      { devDependencies: { vitest: 'file:fake' } },
      'added dependencies package.json devDependencies.vitest',
    ],
    [
      'a key of its prototype',
      JSON.parse(
        '{"scripts": {"test": "node --test", "test:all": "npm test", "pretest": "x"}, "__proto__": {"a": 1}}',
      ) as object,
      'added script package.json scripts.pretest',
    ],
  ])('%s', async (_what, change, expected) => {
    const before = { 'package.json': manifest(base) }
    const found = await lookAtSeals(before, {
      'package.json': manifest({ ...base, version: '2.0.0', ...change }),
    })
    expect(saidOfSeals(found)).toEqual([expected])
    const laid = JSON.parse(found.laid['package.json'] ?? '') as Record<string, unknown>
    expect(laid).toMatchObject({ scripts: base.scripts, version: '2.0.0' })
    expect(laid['scripts']).toEqual(base.scripts)
    expect(laid).not.toHaveProperty('jest')
    expect(laid).not.toHaveProperty('overrides')
    expect(laid['devDependencies'] ?? {}).toEqual({})
  })

  test('a workspace more is free; one less, or one that takes another away, is not', async () => {
    const before = { 'package.json': manifest({ workspaces: ['a', 'b'] }) }
    const after = (workspaces: readonly string[]): Promise<SeenSeals> =>
      lookAtSeals(before, { 'package.json': manifest({ workspaces }) })
    expect(saidOfSeals(await after(['b', 'a', 'c']))).toEqual([])
    const changed = ['changed configuration package.json workspaces']
    expect(saidOfSeals(await after(['a']))).toEqual(changed)
    expect(saidOfSeals(await after(['a', 'b', '!b']))).toEqual(changed)
  })

  test.each<readonly [string, TreeContent]>([
    ['no longer parses', '{'],
    ['is a list', '[]'],
    ['is nested without end', '['.repeat(5000)],
    ['is a link', { link: 'other.json' }],
  ])('one that %s is put back as a whole', async (_what, content) => {
    const before = { 'package.json': manifest(base) }
    const found = await lookAtSeals(before, { 'package.json': content })
    expect(saidOfSeals(found)).toEqual(['changed configuration package.json'])
    expect(found.laid).toEqual(before)
  })

  test('a new one brings its scripts and settings along, which are said', async () => {
    const found = await lookAtSeals(
      { 'a.js': 'x' },
      { 'a.js': 'x', 'package.json': manifest(base) },
    )
    expect(saidOfSeals(found)).toEqual(['added script package.json scripts.test'])
  })
})

describe('tsconfig.json', () => {
  test.each<readonly [string, string, string]>([
    [
      '{"compilerOptions":{"strict":true}}',
      '{"compilerOptions":{"strict":false}}',
      'changed configuration tsconfig.json compilerOptions.strict',
    ],
    [
      '{"compilerOptions":{}}',
      '{"compilerOptions":{"noCheck":true}}',
      'added configuration tsconfig.json compilerOptions.noCheck',
    ],
    [
      '{"include":["src"]} // a',
      '{"include":[],/* b */}',
      'changed configuration tsconfig.json include',
    ],
    ['{}', '{"exclude":["src"]}', 'added configuration tsconfig.json exclude'],
    ['{"exclude":["a"]}', '{"exclude":["a","src"]}', 'changed configuration tsconfig.json exclude'],
  ])('%s to %s', async (before, after, expected) => {
    const found = await lookAtSeals({ 'tsconfig.json': before }, { 'tsconfig.json': after })
    expect(saidOfSeals(found)).toEqual([expected])
    const again = await lookAtSeals(
      { 'tsconfig.json': before },
      { 'tsconfig.json': found.laid['tsconfig.json'] ?? '' },
    )
    expect(saidOfSeals(again)).toEqual([])
  })
})

describe('TOML and INI', () => {
  const pyproject =
    '[project]\nname = "x"\ndescription = """\n[tool.pytest]\n"""\n\n[tool.pytest.ini_options]\naddopts = "-q"\ntestpaths = [\n  "tests", # all\n]\n\n[tool.other]\na = 1\n'
  const cargo =
    '[package]\nname = "c"\n\n[lib]\nname = "c"\ntest = true\n\n[[test]]\nname = "a"\n\n[[test]]\nname = "b"\n'
  const setup =
    '[metadata]\nname = x\n\n[tool:pytest]\naddopts =\n  -q\n  --strict\n\n[options]\nzip = no\n'

  test.each<readonly [string, string, string, string, readonly string[]]>([
    [
      'a value',
      'pyproject.toml',
      pyproject,
      pyproject.replace('"-q"', '"-q --co"'),
      ['changed configuration pyproject.toml tool.pytest.ini_options.addopts'],
    ],
    [
      'a list',
      'pyproject.toml',
      pyproject,
      pyproject.replace('"tests"', '"none"'),
      ['changed configuration pyproject.toml tool.pytest.ini_options.testpaths'],
    ],
    [
      'a new table',
      'pyproject.toml',
      pyproject,
      `${pyproject}[tool.ruff]\nexclude = ["src"]\n`,
      ['added configuration pyproject.toml tool.ruff.exclude'],
    ],
    [
      'a table that is gone',
      'pyproject.toml',
      pyproject,
      pyproject.replace(/\[tool\.pytest\.ini[^]*?\]\n\n/, ''),
      [
        'removed configuration pyproject.toml tool.pytest.ini_options.addopts',
        'removed configuration pyproject.toml tool.pytest.ini_options.testpaths',
      ],
    ],
    [
      'a dotted key without a table',
      'pyproject.toml',
      pyproject,
      `tool.mypy.ignore_errors = true\n${pyproject}`,
      ['added configuration pyproject.toml tool.mypy.ignore_errors'],
    ],
    [
      'a key in quotes',
      'pyproject.toml',
      pyproject,
      `${pyproject}[tool."coverage".run]\nomit = ["*"]\n`,
      ['added configuration pyproject.toml tool.coverage.run.omit'],
    ],
    [
      'a table in a line',
      'pyproject.toml',
      '[project]\nname = "x"\n',
      'tool = { pytest = { ini_options = { addopts = "--co" } } }\n[project]\nname = "x"\n',
      ['added configuration pyproject.toml tool'],
    ],
    [
      'a key with an escape',
      'pyproject.toml',
      pyproject,
      `${pyproject}[tool."\\u0072uff"]\nexclude = ["src"]\n`,
      ['changed configuration pyproject.toml'],
    ],
    [
      'a table twice',
      'pyproject.toml',
      pyproject,
      `${pyproject}[tool.pytest.ini_options]\naddopts = "x"\n`,
      ['changed configuration pyproject.toml'],
    ],
    [
      'a text that does not end',
      'pyproject.toml',
      pyproject,
      `${pyproject}b = """\n`,
      ['changed configuration pyproject.toml'],
    ],
    [
      'a dependency',
      'pyproject.toml',
      pyproject,
      pyproject.replace('name = "x"', 'name = "x"\ndependencies = ["evil"]'),
      ['added dependencies pyproject.toml project.dependencies'],
    ],
    [
      'one of several tables',
      'Cargo.toml',
      cargo,
      cargo.replace('[[test]]\nname = "b"\n', '[[test]]\nname = "b"\nharness = false\n'),
      ['added configuration Cargo.toml test.harness'],
    ],
    [
      'a key of a table that else is free',
      'Cargo.toml',
      cargo,
      cargo.replace('name = "c"\ntest = true', 'name = "d"\ntest = false'),
      ['changed configuration Cargo.toml lib.test'],
    ],
    [
      'a section',
      'setup.cfg',
      setup,
      setup.replace('--strict', '--co'),
      ['changed configuration setup.cfg tool:pytest.addopts'],
    ],
    [
      'a section that is gone',
      'setup.cfg',
      setup,
      setup.replace(/\[tool:pytest\][^]*?\n\n/, ''),
      ['removed configuration setup.cfg tool:pytest.addopts'],
    ],
  ])('%s', async (_what, file, before, after, expected) => {
    const found = await lookAtSeals({ [file]: before }, { [file]: after })
    expect(saidOfSeals(found)).toEqual(expected)
    // Put over the tree, nothing sealed differs any more, and it can still be read.
    const laid = found.laid[file] ?? ''
    expect(saidOfSeals(await lookAtSeals({ [file]: before }, { [file]: laid }))).toEqual([])
  })

  test('what is not sealed stays as the tree has it', async () => {
    const after = pyproject.replace('a = 1', 'a = 2').replace('"-q"', '"--co"')
    const found = await lookAtSeals({ 'pyproject.toml': pyproject }, { 'pyproject.toml': after })
    expect(found.laid['pyproject.toml']).toContain('a = 2')
    expect(found.laid['pyproject.toml']).toContain('addopts = "-q"')
    const lib = cargo.replace('name = "c"\ntest = true', 'name = "d"\ntest = false')
    const laid = await lookAtSeals({ 'Cargo.toml': cargo }, { 'Cargo.toml': lib })
    expect(laid.laid['Cargo.toml']).toContain('[lib]\ntest = true\nname = "d"\n')
  })
})
