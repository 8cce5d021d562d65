// Files that are sealed as a whole.

import { describe, expect, test } from 'vitest'
import { lookAtSeals, saidOfSeals } from '../../testing/look-at-seals.ts'

const project = {
  'src/sum.js': 'export const sum = (a, b) => a - b',
  'test/sum.test.js': 'test one',
}

describe('configuration as a whole', () => {
  test.each<readonly [string, string]>([
    ['vitest.config.ts', 'configuration'],
    ['jest.config.js', 'configuration'],
    ['.mocharc.json', 'configuration'],
    ['eslint.config.mjs', 'configuration'],
    ['biome.json', 'configuration'],
    ['.npmrc', 'configuration'],
    ['.nvmrc', 'configuration'],
    ['.env', 'configuration'],
    ['.env.test', 'configuration'],
    ['.gitattributes', 'configuration'],
    ['pytest.ini', 'configuration'],
    ['tox.ini', 'configuration'],
    ['.cargo/config.toml', 'configuration'],
    ['bunfig.toml', 'configuration'],
    ['Makefile', 'script'],
    ['justfile', 'script'],
    ['pom.xml', 'script'],
    ['build.gradle.kts', 'script'],
    ['package-lock.json', 'dependencies'],
    ['go.mod', 'dependencies'],
    ['Cargo.lock', 'dependencies'],
    ['requirements.txt', 'dependencies'],
    ['node_modules/.bin/vitest', 'dependencies'],
    ['test/node_modules/chai/index.js', 'dependencies'],
    ['pytest.py', 'dependencies'],
    ['sitecustomize.py', 'dependencies'],
    ['loopwright.yaml', 'loop'],
    ['loops/fix.yaml', 'loop'],
    ['.loop/config', 'loop'],
    ['policies/limits.cedar', 'loop'],
    ['.git/hooks/post-checkout', 'configuration'],
    ['sub/.git/config', 'configuration'],
  ])('%s', async (path, kind) => {
    const added = await lookAtSeals(project, { ...project, [path]: 'x' })
    expect(saidOfSeals(added)).toEqual([`added ${kind} ${path}`])
    expect(added.laid).toEqual(project)
    const base = { ...project, [path]: 'a' }
    const changed = await lookAtSeals(base, { ...project, [path]: 'b' })
    expect(saidOfSeals(changed)).toEqual([`changed ${kind} ${path}`])
    expect(changed.laid).toEqual(base)
    const removed = await lookAtSeals(base, project)
    expect(saidOfSeals(removed)).toEqual([`removed ${kind} ${path}`])
    expect(removed.laid).toEqual(base)
  })

  test('a vendored module of Go is a dependency, a folder vendor of others is not', async () => {
    const go = { 'vendor/modules.txt': 'x', 'vendor/a/a.go': 'a' }
    expect(saidOfSeals(await lookAtSeals(go, { ...go, 'vendor/a/a.go': 'b' }))).toEqual([
      'changed dependencies vendor/a/a.go',
    ])
    expect(saidOfSeals(await lookAtSeals({ 'vendor/a.js': 'a' }, { 'vendor/a.js': 'b' }))).toEqual(
      [],
    )
  })

  test.each<readonly [string, string]>([
    ['src/sum.js\n', 'dist\n'],
    ['*.js\n', 'dist\n'],
    ['src\n', 'dist\n'],
    ['/src/\n', 'dist\n'],
    ['dist\n*.js\n', 'dist\n'],
    ['!a\ndist\n*.js\n', '!a\ndist\n'],
    ['a\n', '!src/sum.js\na\n'],
  ])('a list %j that hides a file of the tree is a change', async (after, before) => {
    const base = { ...project, '.gitignore': before }
    const found = await lookAtSeals(base, { ...base, '.gitignore': after })
    expect(saidOfSeals(found)).toEqual(['changed ignore .gitignore'])
    expect(found.laid).toEqual(base)
  })

  test('a new list that hides one is a change too', async () => {
    const found = await lookAtSeals(project, { ...project, '.eslintignore': 'src/**\n' })
    expect(saidOfSeals(found)).toEqual(['added ignore .eslintignore'])
  })
})
