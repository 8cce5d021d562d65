import { execFileSync } from 'node:child_process'
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Files, Workspace } from '../engine/index.ts'
import { type BlobId, defined } from '../loop/index.ts'
import { createFailingFiles } from '../testing/failing-files.ts'
import { memoryBlobs } from '../testing/memory-blobs.ts'
import { createDirectoryWorkspace } from './directory.ts'

let folder: string
let path: string
let blobs: ReturnType<typeof memoryBlobs>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-restore-'))
  path = join(folder, 'work')
  await mkdir(path)
  blobs = memoryBlobs()
})
afterEach(async () => {
  execFileSync('chmod', ['-R', 'u+rwx', folder])
  await rm(folder, { recursive: true })
})

const open = (files?: Files): Workspace =>
  createDirectoryWorkspace({ path, blobs, ...defined({ files }) })

const inWork = (...names: string[]) => join(path, ...names)
const write = async (name: string, content = name, mode = 0o644) => {
  await mkdir(dirname(inWork(name)), { recursive: true })
  await writeFile(inWork(name), content, { mode })
}
/** Long after all writes of the test, so that no file looks recent. */
const later = () => Date.now() + 60_000
const read = (...names: string[]) => readFile(inWork(...names), 'utf8')
const isExecutable = async (name: string) => ((await stat(inWork(name))).mode & 0o111) !== 0

describe('a restore', () => {
  test('brings back what was changed, removed, renamed or added', async () => {
    await write('changed')
    await write('deep/er/removed')
    await write('run.sh', '#!/bin/sh', 0o755)
    await write('plain', '')
    await mkdir(inWork('empty'))
    await symlink('changed', inWork('link'))
    const workspace = open()
    const tree = await workspace.snapshot()
    await write('changed', 'CHANGED')
    await rm(inWork('deep'), { recursive: true })
    await rm(inWork('empty'), { recursive: true })
    await chmod(inWork('run.sh'), 0o644)
    await chmod(inWork('plain'), 0o755)
    await rm(inWork('link'))
    await symlink('/nonexistent/loopwright/file', inWork('link'))
    await write('added/in/depth')
    execFileSync('mkfifo', [inWork('added', 'pipe')])
    await workspace.restore(tree)
    expect((await readdir(path)).toSorted()).toEqual(
      ['changed', 'deep', 'empty', 'link', 'plain', 'run.sh'].toSorted(),
    )
    expect(await read('changed')).toBe('changed')
    expect(await read('deep', 'er', 'removed')).toBe('deep/er/removed')
    expect(await readlink(inWork('link'))).toBe('changed')
    expect(await isExecutable('run.sh')).toBe(true)
    expect(await isExecutable('plain')).toBe(false)
    expect(await workspace.snapshot()).toBe(tree)
  })

  test('creates the directory if it is missing', async () => {
    await write('a/b')
    const workspace = open()
    const tree = await workspace.snapshot()
    await rm(path, { recursive: true })
    await workspace.restore(tree)
    expect(await read('a', 'b')).toBe('a/b')
    expect(await workspace.snapshot()).toBe(tree)
  })

  test('writes nothing if nothing differs, with or without a cache', async () => {
    await write('a/b')
    await symlink('b', inWork('a', 'link'))
    const tree = await open().snapshot()
    const before = await lstat(inWork('a', 'b'))
    const { files, calls } = createFailingFiles()
    const fresh = open(files)
    await fresh.restore(tree)
    await fresh.restore(tree)
    const after = await lstat(inWork('a', 'b'))
    expect([after.ino, after.ctimeMs]).toEqual([before.ino, before.ctimeMs])
    expect(new Set(calls)).toEqual(
      new Set(
        ['lstat', 'readdir', 'readlink', 'open'].concat(
          'handle.stat',
          'handle.read',
          'handle.close',
        ),
      ),
    )
  })

  test('detects different content from the cache alone', async () => {
    const { files, calls } = createFailingFiles()
    const workspace = createDirectoryWorkspace({ path, blobs, files, now: later })
    await write('a', 'one')
    const tree = await workspace.snapshot()
    await write('a', 'two')
    await workspace.snapshot()
    const before = calls.length
    await workspace.restore(tree)
    expect(await read('a')).toBe('one')
    expect(calls.slice(before)).not.toContain('handle.read')
  })

  test('replaces each kind of entry by each other kind', async () => {
    const kinds = {
      file: () => write('x'),
      directory: () => write('x/y/z'),
      link: () => symlink('/nonexistent/loopwright', inWork('x')),
      nothing: () => Promise.resolve(),
    }
    for (const make of Object.values(kinds)) {
      await rm(inWork('x'), { recursive: true, force: true })
      await make()
      const workspace = open()
      const tree = await workspace.snapshot()
      for (const swap of Object.values(kinds)) {
        await rm(inWork('x'), { recursive: true, force: true })
        await swap()
        await workspace.restore(tree)
        expect(await workspace.snapshot()).toBe(tree)
      }
    }
  })

  test('follows no symlink out of the directory, wherever an agent created one', async () => {
    const outside = join(folder, 'outside')
    await mkdir(join(outside, 'sub'), { recursive: true })
    for (const name of ['file', 'sub/file'])
      await writeFile(join(outside, name), 'mine', { mode: 0o600 })
    await write('dir/sub/file')
    await write('dir/file')
    await write('file')
    const workspace = open()
    const tree = await workspace.snapshot()
    const before = await everything(outside)
    await rm(inWork('dir'), { recursive: true })
    await symlink(outside, inWork('dir'))
    await rm(inWork('file'))
    await symlink(join(outside, 'file'), inWork('file'))
    await symlink(outside, inWork('extra'))
    await workspace.restore(tree)
    await mkdir(inWork('more'))
    await rm(inWork('dir', 'sub'), { recursive: true })
    await symlink(join(outside, 'sub'), inWork('dir', 'sub'))
    await symlink(outside, inWork('more', 'extra'))
    await workspace.restore(tree)
    expect(await everything(outside)).toEqual(before)
    expect(await workspace.snapshot()).toBe(tree)
    expect(await read('dir', 'sub', 'file')).toBe('dir/sub/file')
  })

  test('does not write through a hard link to a file outside', async () => {
    const outside = join(folder, 'outside')
    await writeFile(outside, 'mine', { mode: 0o600 })
    await write('a', 'theirs')
    await write('b', 'mine', 0o755)
    const workspace = open()
    const tree = await workspace.snapshot()
    const before = await lstat(outside)
    for (const name of ['a', 'b']) {
      await rm(inWork(name))
      await link(outside, inWork(name))
    }
    await workspace.restore(tree)
    const after = await lstat(outside)
    expect(await readFile(outside, 'utf8')).toBe('mine')
    expect(after.mode).toBe(before.mode)
    expect(await workspace.snapshot()).toBe(tree)
  })

  test('works in directories and on files that their owner may not change', async () => {
    await write('locked/a')
    await write('b')
    const workspace = open()
    const tree = await workspace.snapshot()
    await write('locked/extra/deep')
    await write('locked/a', 'changed')
    await write('b', 'changed')
    await chmod(inWork('b'), 0o000)
    await chmod(inWork('locked', 'extra'), 0o000)
    await chmod(inWork('locked'), 0o500)
    await chmod(path, 0o500)
    await workspace.restore(tree)
    expect(await workspace.snapshot()).toBe(tree)
    expect(await readdir(inWork('locked'))).toEqual(['a'])
    // True even for root, who bypasses permissions.
    for (const name of ['', 'locked']) expect((await stat(inWork(name))).mode & 0o700).toBe(0o700)
    expect((await stat(inWork('b'))).mode & 0o400).toBe(0o400)
  })

  test('keeps the mode of a private file', async () => {
    await write('.env', 'SECRET=1', 0o600)
    const workspace = open()
    const tree = await workspace.snapshot()
    await writeFile(inWork('.env'), 'SECRET=2')
    await workspace.restore(tree)
    expect(await read('.env')).toBe('SECRET=1')
    expect((await stat(inWork('.env'))).mode & 0o777).toBe(0o600)
  })

  test('killed at any call is completed by the next one', async () => {
    const state = { a: () => makeState('a'), b: () => makeState('b') }
    await state.a()
    const tree = await open().snapshot()
    for (let failAt = 1, failed = true; failed; failAt += 1) {
      await rm(path, { recursive: true })
      await state.b()
      const { files, calls } = createFailingFiles({ failAt, andAfter: true })
      const workspace = open(files)
      await workspace.restore(tree).catch(() => undefined)
      failed = calls.length >= failAt
      await open().restore(tree)
      expect(await open().snapshot()).toBe(tree)
      expect((await readdir(path, { recursive: true })).filter(isTemporary)).toEqual([])
    }
  })

  test('that fails once is rejected with the reason, and works when repeated', async () => {
    await makeState('a')
    const tree = await open().snapshot()
    for (let failAt = 1, failed = true; failed; failAt += 1) {
      await rm(path, { recursive: true })
      await makeState('b')
      const { files, calls } = createFailingFiles({ failAt, code: 'ENOSPC' })
      const workspace = open(files)
      const refusals: unknown[] = []
      await workspace.restore(tree).catch((error: unknown) => refusals.push(error))
      failed = calls.length >= failAt
      for (const refusal of refusals) {
        expect(refusal).toMatchObject({ code: 'workspace-failed', cause: { code: 'ENOSPC' } })
      }
      await open().restore(tree)
      expect(await open().snapshot()).toBe(tree)
    }
  })

  test('of an unknown tree is rejected and changes nothing', async () => {
    await write('a')
    const workspace = open()
    const tree = await workspace.snapshot()
    const empty = createDirectoryWorkspace({ path, blobs: memoryBlobs() })
    await expect(empty.restore(tree)).rejects.toMatchObject({ code: 'unknown-artifact' })
    expect(await workspace.snapshot()).toBe(tree)
  })

  test('of missing content keeps the old file and leaves no temporary file', async () => {
    await write('a', 'old')
    const tree = await open().snapshot()
    await write('a', 'new')
    const { blob } = await blobs.put('old')
    const get = (wanted: BlobId) =>
      wanted === blob ? Promise.reject(new Error('gone')) : blobs.get(wanted)
    const workspace = createDirectoryWorkspace({ path, blobs: { ...blobs, get } })
    await expect(workspace.restore(tree)).rejects.toMatchObject({ code: 'workspace-failed' })
    expect(await readdir(path)).toEqual(['a'])
    expect(await read('a')).toBe('new')
  })
})

const isTemporary = (name: string) => name.includes('.loopwright-')

/** Two states that share many entries of every kind and differ in many. */
async function makeState(which: 'a' | 'b'): Promise<void> {
  const isA = which === 'a'
  await write('same')
  await write('differs', which)
  await write(isA ? 'swap' : 'swap/deep/er')
  await write(isA ? 'dir/sub/file' : 'dir/other')
  await write(`only-${which}/x/y`, which, isA ? 0o755 : 0o644)
  await symlink(which, inWork('link'))
  if (!isA) await symlink('/nonexistent/loopwright', inWork('dir', 'sub'))
}

async function everything(root: string): Promise<string[]> {
  const lines: string[] = []
  for (const name of (await readdir(root, { recursive: true })).toSorted()) {
    const seen = await lstat(join(root, name))
    const content = seen.isFile() ? await readFile(join(root, name), 'utf8') : ''
    lines.push(`${name} ${seen.mode} ${seen.mtimeMs} ${seen.ctimeMs} ${content}`)
  }
  return lines
}
