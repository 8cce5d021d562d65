// What sealed things load, what the loop file adds, and how changes are told.

import { describe, expect, test } from 'vitest'
import { lookAtSeals, saidOfSeals } from '../../testing/look-at-seals.ts'
import { describeSealed } from './describe-sealed.ts'

const manifest = (value: object): string => JSON.stringify({ name: 'x', ...value })

describe('what sealed things load', () => {
  const project = {
    'package.json': manifest({
      main: 'index.js',
      scripts: {
        test: 'node --import ./hooks.mjs scripts/test.mjs',
        start: 'node src/server.js',
        lint: 'eslint index.js && npm run extra',
        extra: 'sh tools/extra.sh',
        build: 'node src/bundle.js',
      },
    }),
    'hooks.mjs': 'a',
    'index.js': 'a',
    'scripts/test.mjs': "import './lib.mjs'\nimport '../src/server.js'",
    'scripts/lib.mjs': 'a',
    'tools/extra.sh': '. ./common.sh\n. ./tools/other.sh',
    'tools/other.sh': 'a',
    'tools/common.sh': 'a',
    'src/server.js': 'a',
    'src/bundle.js': 'a',
    'vitest.config.ts':
      "import x from './plugin.ts'\nexport default { test: { setupFiles: ['./src/init.ts'] } }",
    'plugin.ts': 'a',
    'src/init.ts': 'a',
  }

  test.each([
    ['hooks.mjs', 'script'],
    ['scripts/test.mjs', 'script'],
    ['scripts/lib.mjs', 'script'],
    ['tools/extra.sh', 'script'],
    ['tools/common.sh', 'script'],
    ['tools/other.sh', 'script'],
    ['plugin.ts', 'configuration'],
    ['src/init.ts', 'configuration'],
  ])('%s', async (path, kind) => {
    const found = await lookAtSeals(project, { ...project, [path]: 'process.exit(0)' })
    expect(saidOfSeals(found)).toEqual([`changed ${kind} ${path}`])
  })

  test.each(['index.js', 'src/server.js', 'src/bundle.js'])('%s is the product', async (path) => {
    expect(saidOfSeals(await lookAtSeals(project, { ...project, [path]: 'b' }))).toEqual([])
  })
})

describe('what the loop file says', () => {
  const files = {
    'a/b.txt': 'a',
    'test/x.js': 'a',
    'c.json': '{"port":1,"name":"a"}',
    'check.sh': 'a',
  }

  test('paths are sealed besides, new files in them too', async () => {
    const rules = { paths: ['a/**'] }
    const found = await lookAtSeals(files, { ...files, 'a/b.txt': 'b', 'a/c.txt': 'c' }, rules)
    expect(saidOfSeals(found)).toEqual(['changed script a/b.txt', 'added script a/c.txt'])
    expect(found.laid).toEqual(files)
  })

  test('what is excepted is free, but for the loop itself', async () => {
    const after = { ...files, 'test/x.js': 'b', 'a/b.txt': 'b' }
    const rules = { except: ['test/**', 'a/**'], loopFiles: ['./a/b.txt'] }
    expect(saidOfSeals(await lookAtSeals(files, after, rules))).toEqual(['changed loop a/b.txt'])
  })

  test('keys are sealed besides those of the tables', async () => {
    const rules = { keys: { 'c.json': ['port'], 'package.json': ['version'] } }
    const found = await lookAtSeals(files, { ...files, 'c.json': '{"port":2,"name":"b"}' }, rules)
    expect(saidOfSeals(found)).toEqual(['changed configuration c.json port'])
    expect(JSON.parse(found.laid['c.json'] ?? '')).toEqual({ port: 1, name: 'b' })
    const base = { 'package.json': manifest({ version: '1', scripts: { test: 'a' } }) }
    const after = { 'package.json': manifest({ version: '2', scripts: { test: 'b' } }) }
    expect(saidOfSeals(await lookAtSeals(base, after, rules))).toEqual([
      'changed configuration package.json version',
      'changed script package.json scripts.test',
    ])
  })

  test('files that checks name are sealed', async () => {
    const found = await lookAtSeals(
      files,
      { ...files, 'check.sh': 'true' },
      { names: ['./check.sh'] },
    )
    expect(saidOfSeals(found)).toEqual(['changed script check.sh'])
  })

  test.each(['', '../x', '@(a|b)', '*'.repeat(3), '*/*/*/*/*/*/*', 'x'.repeat(501)])(
    'the pattern %j is refused with what to write',
    async (pattern) => {
      const looked = lookAtSeals(files, { ...files, 'a/b.txt': 'b' }, { paths: [pattern] })
      await expect(looked).rejects.toMatchObject({ code: 'bad-loop-file' })
      await expect(looked).rejects.toThrow(/Write|Use/)
    },
  )
})

describe('in words', () => {
  test('each change is one line, the gravest first, and values are cut', async () => {
    const before = {
      'package.json': manifest({ scripts: { test: 'node --test' } }),
      'loopwright.yaml': 'a',
    }
    const after = {
      'package.json': manifest({ scripts: { test: `true\n\u001b[2J${'x'.repeat(500)}` } }),
    }
    const lines = describeSealed((await lookAtSeals(before, after)).changes)
    expect(lines[0]).toBe('- loop file: loopwright.yaml was removed')
    expect(lines[1]).toMatch(
      /^- script: package.json: scripts.test was "node --test", is now "true\\n/,
    )
    expect(lines[1]?.length).toBeLessThan(250)
    expect(lines.join('')).not.toMatch(/\p{Cc}/u)
  })

  test('paths that could pass for something else are quoted', async () => {
    const path = 'test/a\n- nothing was changed'
    const [line] = describeSealed((await lookAtSeals({ [path]: 'a' }, {})).changes)
    expect(line).toBe('- test: "test/a\\n- nothing was changed" was removed')
  })

  test('there is an end to them', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`test/${index}.js`, 'a']),
    )
    const lines = describeSealed((await lookAtSeals(many, {})).changes)
    expect(lines).toHaveLength(41)
    expect(lines.at(-1)).toBe('- and 60 more')
  })
})
