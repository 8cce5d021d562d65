/**
 * What a file's bytes are, asked of files that nobody writes any more. It does not wait for anything, so a
 * caller with many of them lets others have their turn now and then.
 */

import { createHash } from 'node:crypto'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import type { ContentHash } from './tree-source.ts'

const chunk = Buffer.allocUnsafe(1024 * 1024)

/** Undefined when it is not that long any more, or cannot be read. */
export function hashFile(path: Buffer, bytes: number, hash: ContentHash): string | undefined {
  const digest = createHash(hash.algorithm).update(hash.prefix(bytes))
  let opened: number | undefined
  try {
    opened = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    let read = 0
    for (let got = -1; got !== 0 && read <= bytes; read += got) {
      got = readSync(opened, chunk, 0, Math.min(chunk.length, bytes - read + 1), null)
      digest.update(chunk.subarray(0, got))
    }
    return read === bytes ? digest.digest('hex') : undefined
  } catch {
    return undefined
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}

export const hashBytes = (bytes: Uint8Array, hash: ContentHash): string =>
  createHash(hash.algorithm).update(hash.prefix(bytes.length)).update(bytes).digest('hex')
