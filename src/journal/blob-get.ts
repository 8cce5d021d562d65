/** Reads content. Content whose hash differs from its name is never returned as intact. */

import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { Files } from '../engine/index.ts'
import { type BlobId, LoopError } from '../loop/index.ts'
import { digestOf } from './blob-content.ts'
import { blobPath, isBlobId, isMissing, storeFailed, trashPath } from './blob-files.ts'

interface Opened {
  readonly handle: FileHandle
  readonly path: string
}

const chunkBytes = 256 * 1024

export async function getBlob(files: Files, root: string, blob: BlobId): Promise<Buffer> {
  const { handle, path } = await open(files, root, blob)
  const content = await closing(handle, path, () => handle.readFile())
  if (digestOf(content).blob !== blob) throw damaged(path)
  return content
}

/** Damage is detected only at the end, after all chunks were returned. */
export async function* streamBlob(
  files: Files,
  root: string,
  blob: BlobId,
): AsyncGenerator<Uint8Array> {
  const { handle, path } = await open(files, root, blob)
  const hash = createHash('sha256')
  try {
    for (;;) {
      const chunk = await readChunk(handle, path)
      if (chunk.length === 0) break
      hash.update(chunk)
      yield chunk
    }
  } finally {
    await handle.close()
  }
  if (hash.digest('hex') !== blob) throw damaged(path)
}

/** A sweep may have moved the file for a moment, or may have been killed after it did. */
async function open(files: Files, root: string, blob: BlobId): Promise<Opened> {
  const paths = isBlobId(blob)
    ? [blobPath(root, blob), trashPath(root, blob), blobPath(root, blob)]
    : []
  for (const path of paths) {
    try {
      return { handle: await files.open(path, 'r'), path }
    } catch (error) {
      if (!isMissing(error)) throw storeFailed('read', path, error)
    }
  }
  const advice = 'It was never stored here, or its run was removed.'
  throw new LoopError('unknown-artifact', `There is no content ${blob} in ${root}. ${advice}`)
}

async function readChunk(handle: FileHandle, path: string): Promise<Uint8Array> {
  try {
    const buffer = Buffer.allocUnsafe(chunkBytes)
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    throw storeFailed('read', path, error)
  }
}

async function closing<T>(handle: FileHandle, path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw storeFailed('read', path, error)
  } finally {
    await handle.close()
  }
}

function damaged(path: string): LoopError {
  const advice = 'The file was changed or the disk is failing. Restore the file from a backup.'
  return new LoopError('store-damaged', `The content of ${path} does not match its name. ${advice}`)
}
