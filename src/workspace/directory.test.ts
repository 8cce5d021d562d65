import { execFileSync } from 'node:child_process'
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Workspace } from '../engine/index.ts'
import { createFailingFiles } from '../testing/failing-files.ts'
import { memoryBlobs } from '../testing/memory-blobs.ts'
import { createDirectoryWorkspace, type DirectoryWorkspaceOptions } from './directory.ts'
import { createTrees, type TreeItem } from './trees.ts'

let folder: string
let path: string
let blobs: ReturnType<typeof memoryBlobs>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-workspace-'))
  path = join(folder, 'work')
  await mkdir(path)
  blobs = memoryBlobs()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (options: Partial<DirectoryWorkspaceOptions> = {}): Workspace =>
  createDirectoryWorkspace({ path, blobs, ...options })

/** Long after all writes of the test, so that no file looks recent. */
const later = () => Date.now() + 60_000
const inWork = (...names: string[]) => join(path, ...names)
const write = async (name: string, content = name, mode = 0o644) => {
  await mkdir(join(inWork(name), '..'), { recursive: true })
  await writeFile(inWork(name), content, { mode })
}

async function listSnapshot(workspace: Workspace): Promise<string[]> {
  const lines: string[] = []
  for await (const item of createTrees(blobs).readTree(await workspace.snapshot())) {
    lines.push(line(item))
  }
  return lines
}

const line = (item: TreeItem) =>
  `${item.mode} ${item.path}${item.mode === 'link' ? ` -> ${item.target}` : ''}`

describe('a snapshot', () => {
  test('contains files, executable files, symlinks and directories, even empty ones', async () => {
    await write('b/c.txt')
    await write('run.sh', '#!/bin/sh', 0o755)
    await mkdir(inWork('empty'))
    await symlink('/nonexistent/loopwright', inWork('out'))
    await symlink('nowhere', inWork('b', 'dangling'))
    expect(await listSnapshot(open())).toEqual([
      'directory b',
      'file b/c.txt',
      'link b/dangling -> nowhere',
      'directory empty',
      'link out -> /nonexistent/loopwright',
      'executable run.sh',
    ])
  })

  test('is the same for the same files, wherever and whenever they were written', async () => {
    await write('a/b')
    const tree = await open().snapshot()
    await rm(inWork('a'), { recursive: true })
    await write('a/b')
    await utimes(inWork('a', 'b'), 1, 1)
    expect(await open().snapshot()).toBe(tree)
    await rename(path, join(folder, 'elsewhere'))
    expect(await open({ path: join(folder, 'elsewhere') }).snapshot()).toBe(tree)
  })

  test('differs after any change', async () => {
    const workspace = open()
    const trees = new Set([await workspace.snapshot()])
    const changes = [
      () => write('a', '1'),
      () => write('a', '2'),
      () => chmod(inWork('a'), 0o755),
      () => rename(inWork('a'), inWork('b')),
      () => mkdir(inWork('c')),
      () => symlink('b', inWork('l')),
      () => rm(inWork('l')).then(() => symlink('c', inWork('l'))),
    ]
    for (const change of changes) {
      await change()
      trees.add(await workspace.snapshot())
    }
    expect(trees.size).toBe(changes.length + 1)
  })

  test('skips pipes, sockets and devices without opening them', async () => {
    await write('file')
    execFileSync('mkfifo', [inWork('pipe')])
    const server = createServer().listen(inWork('socket'))
    await new Promise((resolve) => server.once('listening', resolve))
    const { files, calls } = createFailingFiles()
    expect(await listSnapshot(open({ files }))).toEqual(['file file'])
    expect(calls.filter((call) => call === 'open')).toHaveLength(1)
    await new Promise((resolve) => server.close(resolve))
  })

  test('keeps names that are not UTF-8, byte by byte', async () => {
    const name = Buffer.from([0x66, 0xff, 0x2e, 0x74])
    const file = Buffer.concat([Buffer.from(`${path}/`), name])
    await writeFile(file, 'odd')
    await symlink(Buffer.from([0xfe]), Buffer.concat([file, Buffer.from('-link')]))
    await write('f\ufffd.t', 'looks the same')
    await write('new\nline %20', '')
    const workspace = open()
    const tree = await workspace.snapshot()
    expect(await listSnapshot(workspace)).toEqual([
      'file f\ufffd.t',
      'file f\\xff.t',
      'link f\\xff.t-link -> \\xfe',
      'file new\nline %20',
    ])
    await rm(path, { recursive: true })
    await workspace.restore(tree)
    expect(await readFile(file, 'utf8')).toBe('odd')
    expect(await workspace.snapshot()).toBe(tree)
  })

  test('does not read unchanged files again', async () => {
    for (const name of ['a', 'b', 'c/d']) await write(name)
    const { files, calls } = createFailingFiles()
    const opened = () => calls.filter((call) => call === 'open').length
    const workspace = open({ files, now: later })
    const tree = await workspace.snapshot()
    expect(opened()).toBe(3)
    expect(await workspace.snapshot()).toBe(tree)
    expect(opened()).toBe(3)
    await write('b', 'B')
    await chmod(inWork('a'), 0o755)
    await workspace.snapshot()
    expect(opened()).toBe(5)
  })

  test('reads files again that were written just before the last read', async () => {
    await write('a')
    const changedAtMs = Math.floor((await stat(inWork('a'))).ctimeMs)
    for (const [ageMs, reads] of [
      [0, 2],
      [49, 2],
      [60, 1],
    ] as const) {
      const { files, calls } = createFailingFiles()
      const workspace = open({ files, now: () => changedAtMs + ageMs })
      await workspace.snapshot()
      await workspace.snapshot()
      expect(calls.filter((call) => call === 'open')).toHaveLength(reads)
    }
  })

  test('notices each of many quick changes of the same size', async () => {
    const workspace = open()
    const trees = new Set<string>()
    for (let time = 100; time < 300; time += 1) {
      await write('a', String(time))
      trees.add(await workspace.snapshot())
    }
    expect(trees.size).toBe(200)
  })

  test('stores everything again after a while, in case a garbage collection deleted it', async () => {
    await write('a/b')
    let now = later()
    let puts = 0
    const counting = {
      ...blobs,
      put: (content: Parameters<typeof blobs.put>[0]) => {
        puts += 1
        return blobs.put(content)
      },
    }
    const workspace = open({ blobs: counting, now: () => now })
    await workspace.snapshot()
    const first = puts
    await workspace.snapshot()
    expect(puts).toBe(first)
    now += 30 * 60_000
    await workspace.snapshot()
    expect(puts).toBe(2 * first)
  })

  test('streams large files', async () => {
    const content = Buffer.alloc(3_000_001, 'large ')
    await writeFile(inWork('large'), content)
    const workspace = open()
    const tree = await workspace.snapshot()
    await writeFile(inWork('large'), 'small')
    await workspace.restore(tree)
    expect((await readFile(inWork('large'))).equals(content)).toBe(true)
    expect(await workspace.snapshot()).toBe(tree)
  })

  test('of a file that changes while it is read is retried', async () => {
    await write('log', 'one')
    let changes = 2
    const whileReading = {
      ...blobs,
      put: async (content: Parameters<typeof blobs.put>[0]) => {
        if (changes > 0) await write('log', 'x'.repeat(10 - changes))
        changes -= 1
        return blobs.put(content)
      },
    }
    expect(await open({ blobs: whileReading }).snapshot()).toBe(await open().snapshot())
    changes = 3
    await expect(open({ blobs: whileReading }).snapshot()).rejects.toMatchObject({
      code: 'workspace-failed',
      message: expect.stringContaining('log changed while it was being read'),
    })
  })

  test('whose k-th call fails is rejected with the reason, and works when repeated', async () => {
    for (const name of ['a', 'b/c', 'b/d/e']) await write(name)
    await symlink('a', inWork('link'))
    const tree = await open().snapshot()
    for (let failAt = 1, failed = true; failed; failAt += 1) {
      const { files, calls } = createFailingFiles({ failAt, code: 'EMFILE' })
      const workspace = open({ files, now: later })
      const refusals: unknown[] = []
      await workspace.snapshot().catch((error: unknown) => refusals.push(error))
      failed = calls.length >= failAt
      for (const refusal of refusals) {
        expect(refusal).toMatchObject({ code: 'workspace-failed', cause: { code: 'EMFILE' } })
      }
      const again = failed ? workspace : open()
      expect(await again.snapshot()).toBe(tree)
    }
  })

  test('of a missing directory fails with advice', async () => {
    const missing = open({ path: join(folder, 'missing') }).snapshot()
    await expect(missing).rejects.toMatchObject({
      code: 'workspace-failed',
      message: expect.stringMatching(/directory .*missing does not exist\. Create it/),
    })
  })

  test('is rejected if the directory is a file or a symlink, and so is a restore', async () => {
    const tree = await open().snapshot()
    await writeFile(join(folder, 'file'), '')
    await symlink(path, join(folder, 'link'))
    for (const name of ['file', 'link']) {
      const workspace = open({ path: join(folder, name) })
      await expect(workspace.snapshot()).rejects.toMatchObject({ code: 'workspace-failed' })
      await expect(workspace.restore(tree)).rejects.toMatchObject({ code: 'workspace-failed' })
    }
  })

  test('waits for a previous snapshot or restore', async () => {
    await write('a', '1')
    const workspace = open()
    const tree = await workspace.snapshot()
    await write('a', '2')
    const [, , after] = await Promise.all([
      workspace.snapshot(),
      workspace.restore(tree),
      workspace.snapshot(),
    ])
    expect(after).toBe(tree)
  })
})

test('lists the changed paths between two trees, sorted', async () => {
  await writeFile(join(path, 'same'), '1')
  await writeFile(join(path, 'b'), '1')
  await writeFile(join(path, 'gone'), '1')
  const workspace = createDirectoryWorkspace({ path, blobs: memoryBlobs() })
  const before = await workspace.snapshot()
  await writeFile(join(path, 'b'), '2')
  await writeFile(join(path, 'a'), '1')
  await rm(join(path, 'gone'))
  expect(await workspace.changes?.(before, await workspace.snapshot())).toEqual(['a', 'b', 'gone'])
})
