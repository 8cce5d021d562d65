import { createHash } from 'node:crypto'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BlobId } from '../loop/index.ts'
import { createFailingFiles } from '../testing/failing-files.ts'
import { digestOf } from './blob-content.ts'
import { createBlobStore } from './blob-store.ts'

let folder: string
let root: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-blobs-'))
  root = join(folder, 'a', 'blobs')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const hourMs = 3_600_000
const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')
const { blob: unknownBlob } = digestOf('never put')

const holdsItsName = async (file: string) =>
  file.replaceAll('/', '').endsWith(sha256(await readFile(file)))

/** Ids that a person could type. */
const forged = (id: string): BlobId => JSON.parse(JSON.stringify(id))

async function* chunksOf(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

async function age(path: string, ms: number): Promise<void> {
  const then = new Date(Date.now() - ms)
  await utimes(path, then, then)
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const read: Uint8Array[] = []
  for await (const chunk of chunks) read.push(chunk)
  return Buffer.concat(read)
}

describe('put and get', () => {
  test('content is returned by its SHA-256, regardless of how it was put', async () => {
    const store = createBlobStore({ root })
    const expected = { blob: sha256('héllo'), bytes: 6 }
    const { blob } = await store.put('héllo')
    expect(blob).toBe(expected.blob)
    expect(await store.put(Buffer.from('héllo'))).toEqual(expected)
    expect(await store.put(chunksOf('h', 'éll', '', 'o'))).toEqual(expected)
    expect((await store.get(blob)).toString()).toBe('héllo')
    expect((await readAll(store.stream(blob))).toString()).toBe('héllo')
  })

  test('a file is stored at root/ab/cdef…, private to its owner', async () => {
    const store = createBlobStore({ root })
    const { blob } = await store.put('secret')
    expect(store.path(blob)).toBe(join(root, blob.slice(0, 2), blob.slice(2)))
    expect((await stat(store.path(blob))).mode & 0o777).toBe(0o600)
    expect((await stat(join(root, blob.slice(0, 2)))).mode & 0o777).toBe(0o700)
    expect((await stat(root)).mode & 0o777).toBe(0o700)
    expect(await filesBelow(root)).toEqual([store.path(blob)])
  })

  test('empty content is valid', async () => {
    const store = createBlobStore({ root })
    const { blob, bytes } = await store.put('')
    expect(bytes).toBe(0)
    expect(await store.put(chunksOf())).toEqual({ blob, bytes: 0 })
    expect(await store.get(blob)).toHaveLength(0)
    expect(await readAll(store.stream(blob))).toHaveLength(0)
  })

  test('a long string is encoded as if it were encoded at once', async () => {
    const store = createBlobStore({ root })
    // A pair of surrogates across every place where it could be cut, and a half one.
    for (const shift of ['', 'x', 'xy']) {
      const text = `${shift}${'😀'.repeat(300_000)}\ud800${'é'.repeat(5)}`
      const { blob, bytes } = await store.put(text)
      expect(blob).toBe(sha256(text))
      expect(bytes).toBe(Buffer.byteLength(text))
      expect((await store.get(blob)).equals(Buffer.from(text))).toBe(true)
    }
  })

  test('a stream in chunks of any size is the content of those chunks', async () => {
    const store = createBlobStore({ root })
    const sizes = fc.array(fc.oneof(fc.nat(20), fc.nat(200_000)), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(sizes, async (lengths) => {
        const chunks = lengths.map((length, index) => Buffer.alloc(length, index + 1))
        const whole = Buffer.concat(chunks)
        const { blob, bytes } = await store.put(chunksOf(...chunks))
        expect(blob).toBe(sha256(whole))
        expect(bytes).toBe(whole.length)
        expect((await store.get(blob)).equals(whole)).toBe(true)
      }),
      { numRuns: 30 },
    )
  })

  test('existing content is not written again, only its time is refreshed', async () => {
    const store = createBlobStore({ root })
    const { blob } = await store.put('again')
    const before = await stat(store.path(blob))
    for (const content of ['again', Buffer.from('again'), chunksOf('aga', 'in')]) {
      await age(store.path(blob), hourMs)
      await store.put(content)
      const after = await stat(store.path(blob))
      expect(after.ino).toBe(before.ino)
      expect(after.mtimeMs).toBeGreaterThan(Date.now() - hourMs / 2)
    }
    expect(await readdir(join(root, 'tmp'))).toEqual([])
  })

  test('content that lost its end is written again', async () => {
    const store = createBlobStore({ root })
    const { blob } = await store.put('whole content')
    await writeFile(store.path(blob), 'whole')
    await store.put('whole content')
    expect((await store.get(blob)).toString()).toBe('whole content')
  })

  test('twenty puts of the same content at once all succeed', async () => {
    const store = createBlobStore({ root })
    const put = await Promise.all(Array.from({ length: 20 }, () => store.put('same')))
    expect(new Set(put.map(({ blob }) => blob)).size).toBe(1)
    expect(await filesBelow(root)).toHaveLength(1)
  })
})

describe('what cannot be read', () => {
  test('unknown content is refused', async () => {
    const store = createBlobStore({ root })
    await expect(store.get(unknownBlob)).rejects.toMatchObject({ code: 'unknown-artifact' })
    await expect(readAll(store.stream(unknownBlob))).rejects.toMatchObject({
      code: 'unknown-artifact',
    })
  })

  test('an id that is not a hash never becomes a path', async () => {
    await mkdir(root, { recursive: true })
    await writeFile(join(folder, 'a', 'outside'), 'outside')
    const store = createBlobStore({ root })
    for (const id of ['../outside', 'bl/../../outside', '', 'a'.repeat(63), 'A'.repeat(64)]) {
      await expect(store.get(forged(id))).rejects.toMatchObject({ code: 'unknown-artifact' })
    }
  })

  test('content that was changed on disk is refused, and the error names its file', async () => {
    const store = createBlobStore({ root })
    const { blob } = await store.put('what was meant')
    await writeFile(store.path(blob), 'what was MEANT')
    const refusal = { code: 'store-damaged', message: expect.stringContaining(store.path(blob)) }
    await expect(store.get(blob)).rejects.toMatchObject(refusal)
    await expect(readAll(store.stream(blob))).rejects.toMatchObject(refusal)
  })
})

describe('failures', () => {
  test('whichever call fails, a put is rejected, leaves no half content and works when repeated', async () => {
    const contents = {
      text: () => 'x'.repeat(300_000),
      bytes: () => Buffer.alloc(100_000, 7),
      stream: () => chunksOf('a'.repeat(70_000), 'b'.repeat(70_000)),
    }
    for (const content of Object.values(contents)) {
      for (let failAt = 1, failed = true; failed; failAt += 1) {
        const place = join(folder, `failing-${failAt}`)
        const failing = createFailingFiles({ failAt, code: 'ENOSPC' })
        const store = createBlobStore({ root: place, files: failing.files })
        const refusals: unknown[] = []
        await store.put(content()).catch((error: unknown) => refusals.push(error))
        failed = failing.calls.length >= failAt
        for (const refusal of refusals) {
          expect(refusal).toMatchObject({ code: 'store-failed', cause: { code: 'ENOSPC' } })
        }
        const named = (await filesBelow(folder)).filter((file) => !file.includes('/tmp/', 5))
        for (const file of named) expect(await holdsItsName(file)).toBe(true)
        // The failure is behind it, or still waiting for a call that never came.
        const again = failed ? store : createBlobStore({ root: place })
        const { blob } = await again.put(content())
        expect(sha256(await again.get(blob))).toBe(blob)
        await rm(place, { recursive: true })
      }
    }
  })

  test('a put that resolved had synced its content, its folder and every new folder above', async () => {
    const { files, calls } = createFailingFiles()
    await createBlobStore({ root, files }).put('content')
    const rename = calls.indexOf('rename')
    expect(calls.slice(0, rename)).toContain('handle.write')
    expect(calls.lastIndexOf('handle.sync', rename)).toBeGreaterThan(calls.indexOf('handle.write'))
    expect(calls.slice(rename)).toContain('handle.sync')
    // `a` in the folder, `blobs` in `a`, `tmp` and `ab` in `blobs`, the content, its name.
    expect(calls.filter((call) => call === 'handle.sync')).toHaveLength(6)
  })

  test('a failing source rejects with its own error and leaves nothing', async () => {
    const store = createBlobStore({ root })
    const error = new Error('the producer broke')
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half')
      throw error
    }
    await expect(store.put(broken())).rejects.toBe(error)
    expect(await filesBelow(root)).toEqual([])
  })

  test('a stream of text is refused with advice', async () => {
    const store = createBlobStore({ root })
    const put = store.put(Readable.from(['text']))
    await expect(put).rejects.toMatchObject({ code: 'bad-request' })
  })

  test('a store whose folders vanished works again after one rejected put', async () => {
    const store = createBlobStore({ root })
    await store.put('first')
    await rm(root, { recursive: true })
    await expect(store.put('second')).rejects.toMatchObject({ code: 'store-failed' })
    await store.put('second')
  })

  test('a root that is a file is refused', async () => {
    await writeFile(join(folder, 'a'), '')
    await expect(createBlobStore({ root }).put('x')).rejects.toMatchObject({ code: 'store-failed' })
    await chmod(join(folder, 'a'), 0o600)
  })
})
