import { describe, expect, test } from 'vitest'
import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { findLockfileProblems } from './lockfile-sync.ts'

const findProblems = (files: Readonly<Record<string, unknown>>): Promise<readonly string[]> => {
  const reader: Pick<TreeReader, 'read'> = {
    async read(_tree, path) {
      const content = files[path]
      if (content === undefined) return undefined
      return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
    },
  }
  return findLockfileProblems(reader as TreeReader, 'tree' as TreeId)
}

const manifest = { dependencies: { ufo: '^1.5.0' }, devDependencies: { vitest: '^4.0.0' } }
const npmLock = (root: object): object => ({ lockfileVersion: 3, packages: { '': root } })
const pnpmLock = (vitest: string): string => `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      ufo: { specifier: ^1.5.0, version: 1.5.4 }
    devDependencies:
      vitest: { specifier: ${vitest}, version: 4.0.1 }
`

describe('a lockfile', () => {
  test.each([
    ['package-lock.json', npmLock(manifest)],
    ['pnpm-lock.yaml', pnpmLock('^4.0.0')],
    ['yarn.lock', 'ufo@^1.5.0:\n  version "1.5.4"\n\nvitest@^4.0.0:\n  version "4.0.1"\n'],
    [
      'yarn.lock',
      '"ufo@npm:^1.5.0":\n  version: 1.5.4\n\n"vitest@npm:^4.0.0":\n  version: 4.0.1\n',
    ],
    [
      'bun.lock',
      '{ "workspaces": { "": { "dependencies": { "ufo": "^1.5.0" }, "devDependencies": { "vitest": "^4.0.0" } } } }',
    ],
  ])('in sync is not a problem: %s', async (file, lock) => {
    expect(await findProblems({ 'package.json': manifest, [file]: lock })).toEqual([])
  })

  test.each([
    ['package-lock.json', npmLock({ dependencies: { ufo: '^1.5.0' } }), 'npm install'],
    ['pnpm-lock.yaml', pnpmLock('^3.0.0'), 'pnpm install'],
    ['yarn.lock', 'ufo@^1.5.0:\n  version "1.5.4"\n', 'yarn install'],
    [
      'bun.lock',
      '{ "workspaces": { "": { "dependencies": { "ufo": "^1.5.0" } } } }',
      'bun install',
    ],
  ])('that lacks something is reported with what to do: %s', async (file, lock, fix) => {
    expect(await findProblems({ 'package.json': manifest, [file]: lock })).toEqual([
      `${file} is out of sync with package.json, which asks for vitest ^4.0.0. Run "${fix}" and commit ${file}.`,
    ])
  })

  test('with more than the manifest is out of sync, too', async () => {
    const lock = npmLock({ ...manifest, optionalDependencies: { chai: '^5.0.0' } })
    const [problem] = await findProblems({ 'package.json': manifest, 'package-lock.json': lock })
    expect(problem).toContain('asks for no chai')
  })

  test.each([
    ['nonsense', 'nonsense'],
    ['an old one', { lockfileVersion: 1, dependencies: {} }],
  ])('that cannot be compared is no problem: %s', async (_name, lock) => {
    expect(await findProblems({ 'package.json': manifest, 'package-lock.json': lock })).toEqual([])
  })

  test('is ignored without a manifest', async () => {
    expect(await findProblems({ 'package-lock.json': npmLock({}) })).toEqual([])
    expect(await findProblems({ 'package.json': '{', 'package-lock.json': npmLock({}) })).toEqual(
      [],
    )
  })
})

describe('a lockfile that is slow to read', () => {
  const many = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`pkg${index}`, '^1.0.0']),
  )
  const aliases = Array.from({ length: 20_000 }, (_, i) => `  - &a${i} x\n  - *a${i}\n`)
  test.each([
    ['yarn.lock', `${`# ${'x'.repeat(97)}\n`.repeat(50_000)}pkg0@^1.0.0:\n`, 1],
    ['bun.lock', `{ "pkg0": "^1.0.0", ${`"a": 1, ${' '.repeat(97)}`.repeat(50_000)} }`, 1],
    ['pnpm-lock.yaml', `a: ${'{'.repeat(600)}${'}'.repeat(600)}`, 0],
    ['pnpm-lock.yaml', `a:\n${aliases.join('')}`, 0],
    ['pnpm-lock.yaml', '!!x '.repeat(30_000), 0],
    ['pnpm-lock.yaml', 'a: b\n'.repeat(2_000_000), 0],
  ])('does not block the process: %s', { timeout: 8_000 }, async (file, lock, problems) => {
    const found = await findProblems({ 'package.json': { dependencies: many }, [file]: lock })
    expect(found).toHaveLength(problems)
  })

  test('is quoted without control characters', async () => {
    const dependencies = { 'a\u001b[2J\nb': '^1.0.0' }
    const [problem] = await findProblems({ 'package.json': { dependencies }, 'yarn.lock': '' })
    expect(problem).toContain('asks for a?[2J?b ^1.0.0')
  })
})
