/** Writes content: hashed while it is written, synced, and only then renamed to its hash. */

import { createHash, randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files } from '../engine/index.ts'
import { type ArtifactContent, type BlobId, LoopError } from '../loop/index.ts'
import { blobIdOf, digestOf, slicesOf } from './blob-content.ts'
import { blobFolder, blobPath, isMissing, storeFailed, temporaryFolder } from './blob-files.ts'
import type { DurableFolders } from './durable-folders.ts'

export interface BlobPlace {
  readonly root: string
  readonly files: Files
  readonly folders: DurableFolders
}

export interface StoredBlob {
  readonly blob: BlobId
  readonly bytes: number
}

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

const bufferBytes = 64 * 1024
/** Another process that has just created a name may not have synced it yet. */
const youngMs = 10_000

/** Rejects with `store-failed`, or with the error of a source of chunks. */
export async function putBlob(place: BlobPlace, content: ArtifactContent): Promise<StoredBlob> {
  const source: Source = {}
  try {
    if (typeof content !== 'string' && !(content instanceof Uint8Array)) {
      return await write(place, watched(content, source))
    }
    const digest = digestOf(content)
    return (await refresh(place, digest)) ? digest : await write(place, slicesOf(content))
  } catch (error) {
    if (source.failure !== undefined) throw source.failure.error
    place.folders.forget()
    throw storeFailed('store content in', place.root, error)
  }
}

/** True if the content already exists; then it is as durable as if it had just been written. */
async function refresh(place: BlobPlace, { blob, bytes }: StoredBlob): Promise<boolean> {
  const { files, folders, root } = place
  const folder = blobFolder(root, blob)
  const path = blobPath(root, blob)
  try {
    const found = await files.lstat(path)
    // Visible damage is repaired by writing the content again.
    if (found.size !== bytes) return false
    const now = new Date()
    await files.utimes(path, now, now)
    const isYoung = now.getTime() - found.ctimeMs < youngMs
    if (isYoung || folders.isUnsure(folder)) await folders.sync(folder)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

async function write(place: BlobPlace, chunks: Chunks): Promise<StoredBlob> {
  const { files, folders, root } = place
  await folders.make(root)
  await folders.make(temporaryFolder(root))
  const temporary = join(temporaryFolder(root), randomUUID())
  const handle = await files.open(temporary, 'wx', 0o600)
  try {
    const stored = await writeChunks(handle, chunks)
    if (!(await refresh(place, stored))) {
      await handle.sync()
      await handle.close()
      await folders.make(blobFolder(root, stored.blob))
      await files.rename(temporary, blobPath(root, stored.blob))
      await folders.sync(blobFolder(root, stored.blob))
      return stored
    }
    await handle.close()
    await files.unlink(temporary)
    return stored
  } catch (error) {
    // The original error matters more than an error of the cleanup.
    await handle.close().catch(() => {})
    await files.unlink(temporary).catch(() => {})
    throw error
  }
}

/** Small chunks are buffered, so that a stream of tokens does not need a system call for each. */
async function writeChunks(handle: FileHandle, chunks: Chunks): Promise<StoredBlob> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(bufferBytes)
  let filled = 0
  let bytes = 0
  for await (const chunk of chunks) {
    hash.update(chunk)
    bytes += chunk.length
    if (filled + chunk.length > buffer.length) {
      await writeAll(handle, buffer.subarray(0, filled))
      filled = 0
    }
    if (chunk.length > buffer.length) await writeAll(handle, chunk)
    else {
      buffer.set(chunk, filled)
      filled += chunk.length
    }
  }
  await writeAll(handle, buffer.subarray(0, filled))
  return { blob: blobIdOf(hash), bytes }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let at = 0
  while (at < bytes.length) at += (await handle.write(bytes, at)).bytesWritten
}

interface Source {
  failure?: { readonly error: unknown }
}

/** Distinguishes a failure of the source from one of the store. */
async function* watched(
  content: AsyncIterable<Uint8Array>,
  source: Source,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of content) {
      if (!(chunk instanceof Uint8Array)) {
        const what = 'The stream returned something other than bytes. Encode its text first.'
        throw new LoopError('bad-request', what)
      }
      yield chunk
    }
  } catch (error) {
    source.failure = { error }
    throw error
  }
}
