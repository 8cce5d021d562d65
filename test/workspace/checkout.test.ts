// A clean checkout stays clean, whatever ran in it. Uses real git; the test simulates hostile code.

import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Blobs } from '../../src/engine/index.ts'
import type { TreeId } from '../../src/loop/index.ts'
import { watchReads } from '../../src/sandbox/index.ts'
import { memoryBlobs } from '../../src/testing/memory-blobs.ts'
import {
  createDirectoryWorkspace,
  type OpenCheckoutOptions,
  type OpenedCheckout,
  type OverrideFile,
  openCheckout,
} from '../../src/workspace/index.ts'
import { share } from '../share.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'
import { attacks } from './hostile-checks.ts'

const initial = {
  'README.md': 'read me\n',
  'src/a.ts': 'export const a = 1\n',
  'src/deep/b.ts': 'export const b = 2\n',
  'test/a.test.ts': 'test\n',
  'bin/run': '#!/bin/sh\n',
  '.gitignore': 'dist\nnode_modules\n',
  'lines.txt': 'one\ntwo\n',
  // Following it would read other bytes.
  '.gitattributes': '*.txt text eol=crlf\n*.ts filter=evil ident\n',
}

let fixture: GitFixture
let blobs: Blobs
let opened: OpenedCheckout[]
beforeEach(() => {
  fixture = createGitFixture()
  for (const [path, content] of Object.entries(initial)) fixture.write(path, content)
  chmodSync(join(fixture.checkout, 'bin/run'), 0o755)
  symlinkSync('src/a.ts', join(fixture.checkout, 'link'))
  fixture.commitAll()
  blobs = memoryBlobs()
  opened = []
})
afterEach(async () => {
  for (const one of opened) await one.remove()
  fixture.remove()
})

const readTreeId = (commit: string): TreeId =>
  `git:${fixture.git('rev-parse', `${commit}^{tree}`).trim()}` as TreeId

async function open(
  kind: 'git' | 'blobs',
  options: Partial<OpenCheckoutOptions> = {},
): Promise<{ readonly checkout: OpenedCheckout; readonly tree: TreeId }> {
  const folder = mkdtempSync(join(fixture.folder, 'own-'))
  const tree =
    kind === 'git'
      ? readTreeId('HEAD')
      : await createDirectoryWorkspace({ path: fixture.checkout, blobs }).snapshot()
  const git = {
    repository: await fixture.repository(),
    commit: fixture.git('rev-parse', 'HEAD').trim(),
  }
  const checkout = await openCheckout({
    folder,
    tree,
    blobs,
    ...(kind === 'git' ? { git } : {}),
    ...options,
  })
  opened.push(checkout)
  return { checkout, tree }
}

/** All paths with kind, mode and content. */
function everything(folder: string, under = ''): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(join(folder, under)).toSorted()) {
    const path = under === '' ? name : `${under}/${name}`
    if (path === '.git') continue
    const stat = lstatSync(join(folder, path))
    const mode = (stat.mode & 0o7700).toString(8)
    if (stat.isSymbolicLink()) found[path] = `link ${readlinkSync(join(folder, path))}`
    else if (stat.isDirectory()) {
      found[path] = `folder ${mode}`
      Object.assign(found, everything(folder, path))
    } else if (stat.isFile()) {
      found[path] = `file ${mode} ${stat.nlink} ${readFileSync(join(folder, path), 'latin1')}`
    } else found[path] = 'other'
  }
  return found
}

/** Its git directory, without the index, which contains file times. */
const readGitDir = (folder: string): Readonly<Record<string, string>> =>
  existsSync(join(folder, '.git'))
    ? { ...everything(folder, '.git'), '.git/index': '' }
    : { none: '' }

describe.each(['git', 'blobs'] as const)('a checkout of a tree of %s', (kind) => {
  test('contains the files of the tree, byte for byte, and nothing else', async () => {
    const { checkout } = await open(kind)
    const found = everything(checkout.path)
    const expected = { ...everything(fixture.checkout) }
    expect(found).toEqual(expected)
    expect(found['lines.txt']).toContain('one\ntwo')
    expect(found['bin/run']).toMatch(/^file 700/)
  })

  test('lists the files that were written to', async () => {
    const { checkout, tree } = await open(kind)
    const at = (path: string): string => join(checkout.path, path)
    expect(await checkout.written()).toEqual([])
    const lines = readFileSync(at('lines.txt'))
    rmSync(at('lines.txt'))
    writeFileSync(at('lines.txt'), lines)
    writeFileSync(at('fresh.txt'), 'fresh')
    expect(await checkout.written()).toEqual([])
    writeFileSync(at('lines.txt'), 'others')
    rmSync(at('bin'), { recursive: true })
    writeFileSync(at('bin'), 'no folder')
    expect((await checkout.written()).toSorted()).toEqual(['bin/run', 'lines.txt'])
    await checkout.reset(tree)
    expect(await checkout.written()).toEqual([])
  })

  test('matches the tree again after a reset, whatever ran in it', async () => {
    const { checkout, tree } = await open(kind)
    const before = everything(checkout.path)
    const dotGit = readGitDir(checkout.path)
    const at = (path: string): string => join(checkout.path, path)
    const all = Object.entries(attacks)
    // `npm test` does each of them in one kind of checkout.
    const other = kind === 'git' ? 0 : 1
    const some = all.filter((_attack, nth) => nth % 2 === other)
    for (const [name, attack] of share(all, some)) {
      attack(at)
      await checkout.reset(tree)
      expect({ [name]: everything(checkout.path) }).toEqual({ [name]: before })
      expect({ [name]: readGitDir(checkout.path) }).toEqual({ [name]: dotGit })
    }
  })

  test('applies overrides, even conflicting ones, and matches the tree again after that', async () => {
    const { checkout, tree } = await open(kind)
    const before = everything(checkout.path)
    const file: OverrideFile = { content: Buffer.from('laid'), kind: 'file' }
    await checkout.reset(tree, {
      over: new Map<string, OverrideFile | null>([
        ['src/a.ts', file],
        ['src/deep', file],
        ['README.md/in', { ...file, kind: 'executable' }],
        ['bin/run', null],
        ['new/link', { content: Buffer.from('../bin'), kind: 'link' }],
      ]),
    })
    const found = everything(checkout.path)
    expect(found['src/a.ts']).toContain('laid')
    expect(found['src/deep']).toBe('file 600 1 laid')
    expect(found['README.md/in']).toBe('file 700 1 laid')
    expect(found['new/link']).toBe('link ../bin')
    expect(found['bin']).toBe(undefined)
    await checkout.reset(tree)
    expect(everything(checkout.path)).toEqual(before)
    const outside = new Map([['../out', file]])
    await expect(checkout.reset(tree, { over: outside })).rejects.toThrow(/not a valid file path/)
  })

  test('keeps output of a check for the next one, but no path of the tree', async () => {
    const { checkout, tree } = await open(kind)
    const at = (path: string): string => join(checkout.path, path)
    mkdirSync(at('build/out/in'), { recursive: true })
    writeFileSync(at('build/out/app.js'), 'app')
    writeFileSync(at('build/other'), 'gone')
    symlinkSync('/etc', at('build/out/away'))
    symlinkSync('../../../../x', at('build/out/in/up'))
    symlinkSync('app.js', at('build/out/inner'))
    linkSync(at('src/a.ts'), at('build/out/second'))
    writeFileSync(at('src/a.ts'), 'changed')
    writeFileSync(at('src/new.ts'), 'new')
    symlinkSync('/etc', at('dist'))
    await checkout.reset(tree, {
      keep: ['build/out/', 'src', 'test/a.test.ts', 'dist', '.git', '..'],
    })
    expect(readdirSync(at('build'))).toEqual(['out'])
    expect(readdirSync(at('build/out')).toSorted()).toEqual(['app.js', 'in', 'inner', 'second'])
    expect(readdirSync(at('build/out/in'))).toEqual([])
    expect(readFileSync(at('src/a.ts'), 'utf8')).toBe(initial['src/a.ts'])
    expect(readdirSync(at('src')).toSorted()).toEqual(['a.ts', 'deep'])
    expect(existsSync(at('dist'))).toBe(false)
    await checkout.reset(tree)
    expect(existsSync(at('build'))).toBe(false)
  })

  test('can be reset to another tree', async () => {
    const { checkout, tree } = await open(kind)
    fixture.write('src/a.ts', 'other')
    fixture.write('new.txt', 'new')
    rmSync(join(fixture.checkout, 'link'))
    fixture.commitAll()
    const other =
      kind === 'git'
        ? readTreeId('HEAD')
        : await createDirectoryWorkspace({ path: fixture.checkout, blobs }).snapshot()
    await checkout.reset(other)
    expect(everything(checkout.path)).toEqual(everything(fixture.checkout))
    await checkout.reset(tree)
    expect(readFileSync(join(checkout.path, 'src/a.ts'), 'utf8')).toBe(initial['src/a.ts'])
  })

  test('contains managed paths, whatever the tree has at the same path', async () => {
    fixture.write('lib/planted', 'of the tree')
    fixture.commitAll()
    let made = 0
    const managed = {
      path: 'lib',
      isIntact: async (whole: string) => readdirSync(whole).join() === 'mine',
      create: async (whole: string) => {
        made += 1
        mkdirSync(whole)
        writeFileSync(join(whole, 'mine'), '')
      },
    }
    const { checkout, tree } = await open(kind, { managedPaths: [managed] })
    expect(readdirSync(join(checkout.path, 'lib'))).toEqual(['mine'])
    await checkout.reset(tree)
    expect(made).toBe(1)
    rmSync(join(checkout.path, 'lib'), { recursive: true })
    symlinkSync('/etc', join(checkout.path, 'lib'))
    await checkout.reset(tree)
    expect(readdirSync(join(checkout.path, 'lib'))).toEqual(['mine'])
    expect(made).toBe(2)
  })
})

test('git works in it, on the commit, without a change in the real repository', async () => {
  fixture.git('tag', '-a', 'v1', '-m', 'one')
  fixture.git('config', 'core.hooksPath', '/nonexistent/hooks')
  const before = fixture.fingerprint()
  const { checkout, tree } = await open('git')
  const git = (...args: readonly string[]): string => fixture.gitIn(checkout.path, ...args).trim()
  expect(git('status', '--porcelain')).toBe('')
  expect(git('rev-parse', 'HEAD')).toBe(fixture.git('rev-parse', 'HEAD').trim())
  expect(git('describe')).toBe('v1')
  expect(git('log', '--format=%s')).toBe('work\nfirst')
  expect(git('diff', '--name-only', 'main')).toBe('')
  expect(git('config', '--local', '--list')).not.toContain('hooks')
  await checkout.reset(tree, { over: new Map([['src/a.ts', null]]) })
  expect(git('status', '--porcelain')).toBe('D src/a.ts')
  expect(checkout.readOnly).toEqual([join(fixture.checkout, '.git/objects')])
  expect(fixture.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  expect(fixture.fingerprint()).toBe(before)
})

test('git commands in a check do not read the files', async () => {
  const { checkout } = await open('git')
  const watch = await watchReads(checkout.path, { exclude: ['.git'] })
  expect(fixture.gitIn(checkout.path, 'describe', '--always', '--dirty')).not.toContain('dirty')
  expect(fixture.gitIn(checkout.path, 'status', '--porcelain')).toBe('')
  readFileSync(join(checkout.path, 'README.md'))
  expect((await watch.stop())?.filter((path) => !path.startsWith('.git'))).toEqual(['README.md'])
})

test('it gets a new commit if none is passed', async () => {
  const { checkout } = await open('git', { git: { repository: await fixture.repository() } })
  expect(fixture.gitIn(checkout.path, 'status', '--porcelain')).toBe('')
  expect(fixture.gitIn(checkout.path, 'rev-list', '--count', 'HEAD').trim()).toBe('1')
})

test('a damaged tree is rejected', async () => {
  const id = fixture.git('rev-parse', 'HEAD:src/a.ts').trim()
  rmSync(join(fixture.checkout, '.git/objects', id.slice(0, 2), id.slice(2)))
  await expect(open('git')).rejects.toThrow(/unable to read|do not match the tree|failed/)
})
