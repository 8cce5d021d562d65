// What a process remembers of folders between runs: which files have to be read again, and how much is kept.

import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterStory } from '../../test/after.ts'
import type { Blobs } from '../engine/index.ts'
import type { BlobId } from '../loop/index.ts'
import { memoryBlobs } from '../testing/memory-blobs.ts'
import { createDirectoryWorkspace } from './directory.ts'
import { createStatCaches } from './stat-caches.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-stat-caches-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('the next workspace of a folder reads only the files that changed', async () => {
  const path = newFolder()
  mkdirSync(join(path, 'src'))
  for (const name of ['a.txt', 'b.txt', 'src/c.txt']) writeFileSync(join(path, name), `${name}\n`)
  const blobs = memoryBlobs()
  const stored: string[] = []
  const counting: Blobs = {
    ...blobs,
    put(content) {
      if (content instanceof Uint8Array) stored.push(Buffer.from(content).toString())
      if (typeof content === 'string') stored.push(content)
      return blobs.put(content)
    },
  }
  // Long after the files were written, so that none looks recent.
  const now = (): number => Date.now() + 60_000
  const caches = createStatCaches(now)
  const snapshot = () =>
    createDirectoryWorkspace({ path, blobs: counting, now, cache: caches.of(path) }).snapshot()
  const first = await snapshot()
  expect(stored).toContain('src/c.txt\n')
  stored.length = 0
  expect(await snapshot()).toBe(first)
  expect(stored).toEqual([])
  // The same size and the old times: only the ctime tells.
  const { atime, mtime } = statSync(join(path, 'src/c.txt'))
  writeFileSync(join(path, 'src/c.txt'), 'src/x.txt\n')
  utimesSync(join(path, 'src/c.txt'), atime, mtime)
  const second = await snapshot()
  expect(second).not.toBe(first)
  expect(stored).toContain('src/x.txt\n')
  expect(stored.filter((text) => text === 'a.txt\n' || text === 'b.txt\n')).toEqual([])
  // Another process would store the same.
  expect(await createDirectoryWorkspace({ path, blobs: memoryBlobs() }).snapshot()).toBe(second)
})

test('the folders used last are kept, up to a number of folders and of files', () => {
  const caches = createStatCaches()
  const first = caches.of('/work/0')
  expect(caches.of('/work/0')).toBe(first)
  const second = caches.of('/work/1')
  for (let at = 2; at < 17; at += 1) {
    caches.of(`/work/${at}`)
    expect(caches.of('/work/1')).toBe(second)
  }
  expect(caches.of('/work/0')).not.toBe(first)
  const file = statSync('/', { bigint: true })
  for (let at = 0; at <= 200_000; at += 1) second.remember(`f${at}`, file, '0' as BlobId, Infinity)
  const third = caches.of('/work/3')
  expect(caches.of('/work/3')).toBe(third)
  expect(caches.of('/work/1')).not.toBe(second)
})
