/** Reads files that another process may be writing, or replacing by a symlink or a pipe. */

import { createHash } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { BlobId } from '../loop/index.ts'
import { type Bytes, toDisplay } from './bytes.ts'
import { identityOf } from './stat-cache.ts'
import {
  absolutePath,
  type Folder,
  hasCode,
  type WorkspaceDirectory,
} from './workspace-directory.ts'

/** Files up to this size are read into memory at once. */
export const wholeBytesMax: number = 1024 * 1024

const chunkBytes = 256 * 1024

/** A file changed since it was listed. Trying again may help. */
export class ChangedError extends Error {
  constructor(path: Bytes, cause?: unknown) {
    super(`${path === '' ? 'it' : toDisplay(path)} changed while it was being read`, { cause })
    this.name = 'ChangedError'
  }
}

/** Stores the content of a file. Rejects with `ChangedError` if the file no longer matches `seen`. */
export async function storeFile(
  workspace: WorkspaceDirectory,
  path: Bytes,
  seen: BigIntStats,
): Promise<BlobId> {
  const readAtMs = workspace.now()
  const bytes = Number(seen.size)
  const { blob } = await readUnchanged(workspace, path, seen, async (handle) => {
    const whole = bytes <= wholeBytesMax
    const stored = await workspace.blobs.put(
      whole ? await readWhole(handle, bytes) : streamChunks(handle, bytes),
    )
    if (stored.bytes !== bytes) throw new ChangedError(path)
    return stored
  })
  workspace.cache.remember(path, seen, blob, readAtMs)
  return blob
}

/** The SHA-256 of a file. Rejects with `ChangedError` if the file no longer matches `seen`. */
export async function hashFile(
  workspace: WorkspaceDirectory,
  path: Bytes,
  seen: BigIntStats,
): Promise<string> {
  return readUnchanged(workspace, path, seen, async (handle) => {
    const hash = createHash('sha256')
    for await (const chunk of streamChunks(handle, Number(seen.size))) hash.update(chunk)
    return hash.digest('hex')
  })
}

/** The whole content of a file. Rejects with `ChangedError` if the file no longer matches `seen`. */
export async function readBytes(
  folder: Folder,
  path: Bytes,
  seen: BigIntStats,
): Promise<Uint8Array> {
  const bytes = Number(seen.size)
  const content = await readUnchanged(folder, path, seen, (handle) => readWhole(handle, bytes))
  if (content.length !== bytes) throw new ChangedError(path)
  return content
}

/** The content in chunks, which are valid only if the stream ends without an error. */
export async function* readChunks(
  folder: Folder,
  path: Bytes,
  seen: BigIntStats,
): AsyncGenerator<Uint8Array> {
  const handle = await openUnchanged(folder, path, seen)
  try {
    yield* streamChunks(handle, Number(seen.size))
    await requireUnchanged(handle, path, seen)
  } finally {
    await handle.close()
  }
}

async function readUnchanged<T>(
  folder: Folder,
  path: Bytes,
  seen: BigIntStats,
  read: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await openUnchanged(folder, path, seen)
  try {
    const result = await read(handle)
    await requireUnchanged(handle, path, seen)
    return result
  } finally {
    await handle.close()
  }
}

/** Follows no symlink, and does not block on a pipe. */
async function openUnchanged(folder: Folder, path: Bytes, seen: BigIntStats): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await folder.files
    .open(absolutePath(folder, path), flags)
    .catch((error: unknown) => {
      throw wasReplaced(error) ? new ChangedError(path, error) : error
    })
  try {
    await requireUnchanged(handle, path, seen)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function requireUnchanged(handle: FileHandle, path: Bytes, seen: BigIntStats): Promise<void> {
  const isUnchanged = identityOf(await handle.stat({ bigint: true })) === identityOf(seen)
  if (!isUnchanged) throw new ChangedError(path)
}

/** The file existed a moment ago; it, or a parent folder, was deleted or replaced. */
export const wasReplaced = (error: unknown): boolean =>
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

/** Stops at the original size, so that a file that keeps growing ends too. */
async function* streamChunks(handle: FileHandle, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes
  while (left > 0) {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, left))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length)
    if (bytesRead === 0) break
    left -= bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
