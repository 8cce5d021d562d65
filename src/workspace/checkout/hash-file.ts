/**
 * Hashes files that no process is writing. Synchronous, so a caller with many files must yield to the event
 * loop now and then.
 */

import { createHash } from 'node:crypto'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import type { ContentHash } from './tree-source.ts'

const chunk = Buffer.allocUnsafe(1024 * 1024)

/** Undefined if the size has changed or the file cannot be read. */
export function hashFile(path: Buffer, bytes: number, hash: ContentHash): string | undefined {
  const digest = createHash(hash.algorithm).update(hash.prefix(bytes))
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    let read = 0
    for (let count = -1; count !== 0 && read <= bytes; read += count) {
      count = readSync(file, chunk, 0, Math.min(chunk.length, bytes - read + 1), null)
      digest.update(chunk.subarray(0, count))
    }
    return read === bytes ? digest.digest('hex') : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

export const hashBytes = (bytes: Uint8Array, hash: ContentHash): string =>
  createHash(hash.algorithm).update(hash.prefix(bytes.length)).update(bytes).digest('hex')
