import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { BlobId } from '../loop/index.ts'
import { createFailingFiles } from '../testing/failing-files.ts'
import { createBlobStore } from './blob-store.ts'

let folder: string
let root: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-sweep-'))
  root = join(folder, 'blobs')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const hourMs = 3_600_000
const options = () => ({ olderThanMs: hourMs, now: Date.now() })

async function age(path: string, ms: number): Promise<void> {
  const then = new Date(Date.now() - ms)
  await utimes(path, then, then)
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

test('a sweep removes old unreferenced content, and returns how much', async () => {
  const store = createBlobStore({ root })
  const kept = await store.put('kept')
  const young = await store.put('young')
  const old = await store.put('old')
  for (const { blob } of [kept, old]) await age(store.path(blob), 2 * hourMs)
  expect(await store.sweep(new Set([kept.blob]), options())).toEqual({ removed: 1, bytes: 3 })
  expect((await filesBelow(root)).toSorted()).toEqual(
    [store.path(kept.blob), store.path(young.blob)].toSorted(),
  )
  await expect(store.get(old.blob)).rejects.toMatchObject({ code: 'unknown-artifact' })
  expect(await store.sweep(() => true, options())).toEqual({ removed: 0, bytes: 0 })
})

test('a sweep removes old leftovers of killed puts, but not new ones or files of others', async () => {
  const store = createBlobStore({ root })
  await store.put('x')
  const leftover = join(root, 'tmp', 'old')
  await writeFile(leftover, 'half')
  await writeFile(join(root, 'tmp', 'young'), 'half')
  await writeFile(join(root, 'notes.txt'), 'by a person')
  for (const path of [leftover, join(root, 'notes.txt')]) await age(path, 2 * hourMs)
  await store.sweep(() => false, options())
  expect(await readdir(join(root, 'tmp'))).toEqual(['young'])
  expect(await readdir(root)).toContain('notes.txt')
})

test('a sweep of an unused store does nothing', async () => {
  const store = createBlobStore({ root })
  expect(await store.sweep(() => false, options())).toEqual({ removed: 0, bytes: 0 })
})

test('a sweep restores content that was put again between its check and its rename', async () => {
  const store = createBlobStore({ root })
  const { blob } = await store.put('wanted again')
  await age(store.path(blob), 2 * hourMs)
  const { files } = createFailingFiles()
  let putAgain = 0
  const rename: typeof files.rename = async (from, to) => {
    if (from === store.path(blob)) {
      await store.put('wanted again')
      putAgain += 1
    }
    await files.rename(from, to)
  }
  const sweeper = createBlobStore({ root, files: { ...files, rename } })
  expect(await sweeper.sweep(() => false, options())).toEqual({ removed: 0, bytes: 0 })
  expect(putAgain).toBe(1)
  expect((await store.get(blob)).toString()).toBe('wanted again')
  expect(await readdir(join(root, 'tmp'))).toEqual([])
})

test('a sweep killed at any call loses nothing that is kept, and the next sweep finishes', async () => {
  for (let failAt = 1, failed = true; failed; failAt += 1) {
    const place = join(folder, `killed-${failAt}`)
    const store = createBlobStore({ root: place })
    const { blob } = await store.put('named by a row a moment later')
    const gone = await store.put('gone')
    for (const old of [blob, gone.blob]) await age(store.path(old), 2 * hourMs)
    const killed = createFailingFiles({ failAt, andAfter: true })
    const sweeper = createBlobStore({ root: place, files: killed.files })
    // The set of what is kept was read before the row came; the put came after.
    let seen = 0
    const keep = (candidate: BlobId) => candidate === blob && (seen += 1) > 1
    await sweeper.sweep(keep, options()).catch(() => undefined)
    failed = killed.calls.length >= failAt
    expect((await store.get(blob)).toString()).toBe('named by a row a moment later')
    await store.sweep(new Set([blob]), options())
    expect(await filesBelow(place)).toEqual([store.path(blob)])
  }
})

test('a sweep during puts of the same content never removes what a put acknowledged', async () => {
  const store = createBlobStore({ root })
  const contents = Array.from({ length: 5 }, (_, index) => `content ${index}`)
  let putters = contents.length
  const sweepOn = async (): Promise<void> => {
    await store.sweep(() => false, options())
    if (putters > 0) await sweepOn()
  }
  const putting = contents.map(async (content) => {
    for (let time = 0; time < 40; time += 1) {
      const { blob } = await store.put(content)
      expect((await store.get(blob)).toString()).toBe(content)
      // Old at once, so that the next put meets a sweep that wants to take it.
      await age(store.path(blob), 2 * hourMs).catch(() => undefined)
    }
    putters -= 1
  })
  await Promise.all([...putting, sweepOn()])
})
