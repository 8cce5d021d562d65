/** Reads files that something else may still be writing, replacing or turning into a trap. */

import { createHash } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { BlobId } from '../loop/index.ts'
import { type Bytes, show } from './bytes.ts'
import { at, type Folder, hasCode, type Place } from './place.ts'
import { identityOf } from './stat-cache.ts'

/** Files up to this size are held in memory as a whole. */
export const wholeBytesMax: number = 1024 * 1024

const chunkBytes = 256 * 1024

/** What was seen is not what is there any more. Looking again may help. */
export class ChangedError extends Error {
  constructor(path: Bytes, cause?: unknown) {
    super(`${path === '' ? 'it' : show(path)} changed while it was being read`, { cause })
    this.name = 'ChangedError'
  }
}

/** Keeps the content of a file that was seen as `seen`. Rejects with `ChangedError`. */
export async function storeFile(place: Place, path: Bytes, seen: BigIntStats): Promise<BlobId> {
  const readAtMs = place.now()
  const bytes = Number(seen.size)
  const { blob } = await reading(place, path, seen, async (handle) => {
    const whole = bytes <= wholeBytesMax
    const stored = await place.blobs.put(
      whole ? await readWhole(handle, bytes) : chunksOf(handle, bytes),
    )
    if (stored.bytes !== bytes) throw new ChangedError(path)
    return stored
  })
  place.cache.remember(path, seen, blob, readAtMs)
  return blob
}

/** The SHA-256 of a file that was seen as `seen`. Rejects with `ChangedError`. */
export async function hashFile(place: Place, path: Bytes, seen: BigIntStats): Promise<string> {
  return reading(place, path, seen, async (handle) => {
    const hash = createHash('sha256')
    for await (const chunk of chunksOf(handle, Number(seen.size))) hash.update(chunk)
    return hash.digest('hex')
  })
}

/** The bytes of a file that was seen as `seen`, at once. Rejects with `ChangedError`. */
export async function bytesOf(folder: Folder, path: Bytes, seen: BigIntStats): Promise<Uint8Array> {
  const bytes = Number(seen.size)
  const content = await reading(folder, path, seen, (handle) => readWhole(handle, bytes))
  if (content.length !== bytes) throw new ChangedError(path)
  return content
}

/** The same in pieces. What was handed out counts only if it ends without an error. */
export async function* piecesOf(
  folder: Folder,
  path: Bytes,
  seen: BigIntStats,
): AsyncGenerator<Uint8Array> {
  const handle = await openAsSeen(folder, path, seen)
  try {
    yield* chunksOf(handle, Number(seen.size))
    await requireAsSeen(handle, path, seen)
  } finally {
    await handle.close()
  }
}

async function reading<T>(
  folder: Folder,
  path: Bytes,
  seen: BigIntStats,
  read: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await openAsSeen(folder, path, seen)
  try {
    const result = await read(handle)
    await requireAsSeen(handle, path, seen)
    return result
  } finally {
    await handle.close()
  }
}

/** Never through a link, never waiting for the other end of a pipe. */
async function openAsSeen(folder: Folder, path: Bytes, seen: BigIntStats): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await folder.files.open(at(folder, path), flags).catch((error: unknown) => {
    throw isGone(error) ? new ChangedError(path, error) : error
  })
  try {
    await requireAsSeen(handle, path, seen)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function requireAsSeen(handle: FileHandle, path: Bytes, seen: BigIntStats): Promise<void> {
  const isAsSeen = identityOf(await handle.stat({ bigint: true })) === identityOf(seen)
  if (!isAsSeen) throw new ChangedError(path)
}

/** It was there a moment ago, and it was a file in a directory. */
export const isGone = (error: unknown): boolean =>
  hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO')

async function readWhole(handle: FileHandle, bytes: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(bytes)
  let filled = 0
  while (filled < bytes) {
    const { bytesRead } = await handle.read(buffer, filled, bytes - filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

/** At most as many bytes as the file had: one that grows without end is not followed. */
async function* chunksOf(handle: FileHandle, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes
  while (left > 0) {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, left))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length)
    if (bytesRead === 0) break
    left -= bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
