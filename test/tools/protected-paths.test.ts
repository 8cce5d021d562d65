// What the sandbox denies to commands is denied to file tools as well, under any name.

import { existsSync, linkSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ProtectedPaths } from '../../src/tools/index.ts'
import { type Bench, canary, openBench } from './fixture.ts'

let bench: Bench
let paths: ProtectedPaths

beforeEach(() => {
  paths = { hidden: ['.env', 'record', '.git/config'], readOnly: ['loop.yaml', 'fixed'] }
  bench = openBench([], { protects: () => paths })
  const { workspace } = bench
  bench.put('.env', `KEY=${canary}\n`)
  bench.put('record/blobs/one.txt', `${canary}\n`)
  bench.put('.git/config', `url = ${canary}\n`)
  bench.put('.git/HEAD', 'ref: refs/heads/main\n')
  bench.put('loop.yaml', 'prompt: Go.\n')
  bench.put('fixed/deep/a.txt', 'fixed\n')
  bench.put('src/a.txt', 'free\n')
  symlinkSync('.env', join(workspace, 'link.txt'))
  symlinkSync('../record', join(workspace, 'src/link'))
  symlinkSync('record/blobs', join(workspace, 'blobs'))
  symlinkSync('fixed/deep', join(workspace, 'way'))
  symlinkSync('../loop.yaml', join(workspace, 'src/plan.yaml'))
  linkSync(join(workspace, '.env'), join(workspace, 'src/same.txt'))
  linkSync(join(workspace, 'loop.yaml'), join(workspace, 'src/same.yaml'))
})
afterEach(() => bench.close())

const hiddenNames = [
  '.env',
  './src/../.env',
  'link.txt',
  'src/same.txt',
  'record',
  'record/blobs/one.txt',
  'record/not-there.txt',
  'blobs/one.txt',
  'src/link/blobs/one.txt',
  'src/../src/link/../record/blobs',
  '.git/config',
]

const askingTools: Readonly<Record<string, object>> = {
  read: {},
  list: {},
  glob: { pattern: '**' },
  grep: { pattern: canary },
}

describe('a hidden path', () => {
  test.each(hiddenNames)('is not shown as %s', async (path) => {
    const names = [path, `${bench.workspace}/${path}`]
    for (const [tool, more] of Object.entries(askingTools)) {
      for (const name of names) {
        const result = await bench.call(tool, { path: name, ...more })
        expect(result.output).not.toContain(canary)
        expect([tool, result.ok, result.error]).toEqual([tool, false, 'hidden'])
      }
    }
  })

  test.each(hiddenNames)('is not written as %s', async (path) => {
    const content = 'changed'
    const written = await bench.call('write', { path, content })
    const edited = await bench.call('edit', { path, old: canary, new: content })
    const expected = path.startsWith('.git') ? 'protected' : 'hidden'
    expect([written.error, edited.error]).toEqual([expected, expected])
    expect(bench.get('.env')).toBe(`KEY=${canary}\n`)
    expect(existsSync(join(bench.workspace, 'record/not-there.txt'))).toBe(false)
  })

  test('is not found by searches from above, and a list only shows that it is hidden', async () => {
    const grep = await bench.call('grep', { pattern: canary })
    expect(grep.output).toMatch(/^\[No line matches/)
    const ofGit = await bench.call('grep', { pattern: 'CANARY', include: '.git/**' })
    expect(ofGit.output).toMatch(/^\[No line matches/)
    const glob = await bench.call('glob', { pattern: '**' })
    expect(glob.output.split('\n')).toEqual([
      'blobs',
      'fixed/deep/a.txt',
      'link.txt',
      'loop.yaml',
      'src/a.txt',
      'src/link',
      'src/plan.yaml',
      'src/same.txt',
      'src/same.yaml',
      'way',
    ])
    const top = await bench.call('list', {})
    expect(top.output).toContain('.env\t(hidden)\n')
    expect(top.output).toContain('record\t(hidden)\n')
    const below = await bench.call('list', { path: 'src' })
    expect(below.output).toContain('same.txt\t(hidden)\n')
    expect((await bench.call('read', { path: '.git/HEAD' })).ok).toBe(true)
  })

  test('that does not exist yet cannot be created, nor a folder on the way to it', async () => {
    paths = { hidden: ['keys/own/a.txt'], readOnly: [] }
    const { error } = await bench.call('write', { path: 'keys/own/a.txt', content: 'x' })
    expect(error).toBe('hidden')
    expect(existsSync(join(bench.workspace, 'keys'))).toBe(false)
    expect((await bench.call('write', { path: 'keys/own/b.txt', content: 'x' })).ok).toBe(true)
  })

  test('is evaluated at each call', async () => {
    expect((await bench.call('read', { path: 'src/a.txt' })).ok).toBe(true)
    paths = { hidden: ['src'], readOnly: [] }
    expect((await bench.call('read', { path: 'src/a.txt' })).error).toBe('hidden')
    // As an editor saves a file: the same name, but another file.
    paths = { hidden: ['.env'], readOnly: [] }
    writeFileSync(join(bench.workspace, 'new'), canary)
    renameSync(join(bench.workspace, 'new'), join(bench.workspace, '.env'))
    expect((await bench.call('read', { path: '.env' })).error).toBe('hidden')
  })

  test('may be the whole workspace', async () => {
    paths = { hidden: [bench.workspace], readOnly: [] }
    expect((await bench.call('list', {})).error).toBe('hidden')
    expect((await bench.call('read', { path: 'src/a.txt' })).error).toBe('hidden')
  })
})

describe('a read-only path', () => {
  test.each([
    'loop.yaml',
    'src/../loop.yaml',
    'src/plan.yaml',
    'src/same.yaml',
    'fixed/deep/a.txt',
    'way/a.txt',
  ])('can be read as %s, and not changed', async (path) => {
    const read = await bench.call('read', { path })
    expect(read.ok).toBe(true)
    const before = bench.get(path)
    const written = await bench.call('write', { path, content: 'changed' })
    const edited = await bench.call('edit', { path, old: before, new: 'changed' })
    for (const { error, output } of [written, edited]) {
      expect(error).toBe('protected')
      expect(output).toContain('read-only')
    }
    expect(bench.get(path)).toBe(before)
  })

  test.each(['fixed/new.txt', 'fixed/new/folder/a.txt', 'way/new.txt', 'way/new/a.txt'])(
    'gets no new file such as %s',
    async (path) => {
      expect((await bench.call('write', { path, content: 'x' })).error).toBe('protected')
      const { output } = await bench.call('glob', { pattern: '**', path: 'fixed' })
      expect(output).toBe('fixed/deep/a.txt')
      expect((await bench.call('list', { path: 'fixed' })).output).toBe('deep/')
    },
  )

  test('may be absolute, and may be the whole workspace', async () => {
    paths = { hidden: [], readOnly: [join(bench.workspace, 'src')] }
    expect((await bench.call('write', { path: 'src/b.txt', content: 'x' })).error).toBe('protected')
    paths = { hidden: [], readOnly: [bench.workspace] }
    expect((await bench.call('write', { path: 'b.txt', content: 'x' })).error).toBe('protected')
    expect((await bench.call('read', { path: 'src/a.txt' })).ok).toBe(true)
  })

  test('does not include what only contains the workspace, or lies beside it', async () => {
    paths = { hidden: [bench.outside], readOnly: [bench.base, bench.outside, 'src-other'] }
    expect((await bench.call('write', { path: 'b.txt', content: 'x' })).ok).toBe(true)
    expect((await bench.call('write', { path: 'src/b.txt', content: 'x' })).ok).toBe(true)
  })
})

test('a missing workspace is reported as such, whatever is protected', async () => {
  const workspace = join(bench.base, 'gone')
  expect((await bench.call('read', { path: 'a' }, { workspace })).error).toBe('no-workspace')
})
