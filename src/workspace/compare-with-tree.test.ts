import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defined, type TreeId } from '../loop/index.ts'
import { compareWithTree, type TreeComparison } from './compare-with-tree.ts'
import { createRepository } from './git/create-repository.ts'
import { runGit } from './git/run-git.ts'

let folder: string
let tree: TreeId
let whole: TreeId
let commit: string

const at = (...parts: readonly string[]): string => join(folder, ...parts)
const write = (path: string, text: string): void => writeFileSync(at(path), text)

async function git(command: string, ...options: readonly string[]): Promise<string> {
  const workspace = { gitDir: at('.git'), workTree: folder }
  const { stdout } = await runGit({ at: workspace, command, options })
  return stdout.toString('utf8').trim()
}

const differs = (
  parts: Partial<Record<'changed' | 'missing' | 'added', readonly string[]>>,
): TreeComparison => ({ status: 'differs', changed: [], missing: [], added: [], ...parts })

const compare = (name?: string): Promise<TreeComparison> =>
  compareWithTree({ folder, tree, known: commit, ...defined({ commit: name }) })

/** Writes an object that git can unpack, whose content does not match its id. */
function forge(id: string, type: string, content: string): void {
  const path = at('.git/objects', id.slice(0, 2), id.slice(2))
  chmodSync(path, 0o644)
  writeFileSync(path, deflateSync(Buffer.from(`${type} ${content.length}\0${content}`)))
}

let first: string

beforeAll(async () => {
  first = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-compare-')))
  folder = join(first, 'repository')
  mkdirSync(folder)
  mkdirSync(at('src'))
  write('src/a.txt', 'one')
  write('.gitignore', 'dist/\n*.log\n')
  write('run.sh', 'exit 0')
  chmodSync(at('run.sh'), 0o755)
  symlinkSync('src/a.txt', at('link'))
  await createRepository(folder)
  commit = await git('rev-parse', 'HEAD')
  whole = `git:${await git('rev-parse', 'HEAD^{tree}')}` as TreeId
})

afterAll(() => rmSync(first, { recursive: true, force: true }))

beforeEach(() => {
  folder = join(first, randomUUID())
  tree = whole
  cpSync(join(first, 'repository'), folder, { recursive: true, verbatimSymlinks: true })
})

describe('files of a checkout', () => {
  test('match the tree if unchanged; ignored files are listed separately', async () => {
    mkdirSync(at('dist'))
    write('dist/x', '')
    write('src/a.log', '')
    mkdirSync(at('empty'))
    expect(await compare()).toEqual({
      status: 'same',
      what: 'files',
      notInTree: ['dist/', 'src/a.log'],
    })
  })

  test.each<[string, () => void, TreeComparison]>([
    ['changed', () => write('src/a.txt', 'two'), differs({ changed: ['src/a.txt'] })],
    ['gone', () => rmSync(at('src/a.txt')), differs({ missing: ['src/a.txt'] })],
    ['new', () => write('src/b.txt', ''), differs({ added: ['src/b.txt'] })],
    ['another mode', () => chmodSync(at('run.sh'), 0o644), differs({ changed: ['run.sh'] })],
    [
      'a symlink to another folder',
      () => {
        rmSync(at('link'))
        symlinkSync('src/b.txt', at('link'))
      },
      differs({ changed: ['link'] }),
    ],
    [
      'a symlink that replaces its folder, with the same content',
      () => {
        renameSync(at('src'), at('.git/src'))
        symlinkSync('.git/src', at('src'))
      },
      differs({ changed: ['src'], missing: ['src/a.txt'] }),
    ],
  ])('%s are reported', async (_case, change, found) => {
    change()
    expect(await compare()).toEqual(found)
  })

  test('changed with the same size and times are reported, because no cache is used', async () => {
    await git('update-index', '--refresh')
    const { atime, mtime } = statSync(at('src/a.txt'))
    write('src/a.txt', 'eno')
    utimesSync(at('src/a.txt'), atime, mtime)
    await git('update-index', '--assume-unchanged', 'src/a.txt')
    expect(await compare()).toEqual(differs({ changed: ['src/a.txt'] }))
  })
})

describe('objects', () => {
  test('of a commit match the tree, whatever the folder contains', async () => {
    write('src/a.txt', 'two')
    expect(await compare('HEAD')).toEqual({ status: 'same', what: 'commit', notInTree: [] })
    await git('commit', '--quiet', '--all', '--message=more')
    expect(await compare('HEAD')).toEqual(differs({ changed: ['src/a.txt'] }))
    expect(await compare('HEAD^')).toMatchObject({ status: 'same' })
    await expect(compare('nothing')).rejects.toMatchObject({ code: 'unknown-artifact' })
  })

  test.each([
    ['a blob', 'HEAD:src/a.txt', 'blob', 'two'],
    ['a tree', 'HEAD^{tree}', 'tree', ''],
    ['a tree in the tree', 'HEAD:src', 'tree', ''],
  ])('with a forged %s are damaged, for files and for a commit', async (...row) => {
    const [, name, type, content] = row
    forge(await git('rev-parse', name), type, content)
    expect(await compare()).toMatchObject({ status: 'damaged' })
    expect(await compare('HEAD')).toMatchObject({ status: 'damaged' })
  })

  test('of a forged commit are damaged', async () => {
    forge(commit, 'commit', `tree ${tree.slice(4)}\n\nSomething else`)
    expect(await compare(commit)).toMatchObject({ status: 'damaged' })
    expect(await compare()).toMatchObject({ status: 'damaged' })
  })

  test('that belong to a file are reported with its path', async () => {
    forge(await git('rev-parse', 'HEAD:src/a.txt'), 'blob', 'two')
    expect(await compare()).toMatchObject({ status: 'damaged', path: 'src/a.txt' })
  })

  test('that are missing are an error', async () => {
    tree = `git:${'1'.repeat(40)}` as TreeId
    expect(await compare()).toMatchObject({ status: 'damaged' })
  })
})

test('nothing is written to the repository', async () => {
  const before = statSync(at('.git')).mtimeMs
  await compare()
  expect(statSync(at('.git')).mtimeMs).toBe(before)
})

describe('a plain folder', () => {
  test('is compared completely, except for excluded paths', async () => {
    tree = '0'.repeat(64) as TreeId
    expect(await compare()).toEqual({ ...differs({}), isUnknown: true })
    const blobs = new Map<string, Buffer>()
    const { createDirectoryWorkspace } = await import('./directory.ts')
    const kept = {
      put: async (content: unknown) => {
        const { createHash } = await import('node:crypto')
        const bytes = Buffer.from(content as string)
        const blob = createHash('sha256').update(bytes).digest('hex')
        blobs.set(blob, bytes)
        return { blob: blob as never, bytes: bytes.length }
      },
      get: async (blob: string) => blobs.get(blob) ?? Buffer.alloc(0),
      async *stream() {
        yield Buffer.alloc(0)
      },
    }
    const workspace = createDirectoryWorkspace({ path: folder, blobs: kept, exclude: ['dist'] })
    tree = await workspace.snapshot()
    mkdirSync(at('dist'))
    const request = { folder, tree, excludedPaths: ['dist'], blobs: kept }
    expect(await compareWithTree(request)).toMatchObject({ status: 'same' })
    write('src/a.txt', 'two')
    expect(await compareWithTree(request)).toEqual(differs({ changed: ['src/a.txt'] }))
  })
})
