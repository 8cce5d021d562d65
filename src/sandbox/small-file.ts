/**
 * Reads a file that somebody else may have put there: only a real file, no longer than it may be, and
 * without ever waiting. A pipe would wait for a writer for ever, and all of this process with it.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** Throws for anything else. */
export function readSmallFile(path: string, bytesMax: number): string {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  const file = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} is not a file.`)
    const buffer = Buffer.alloc(bytesMax + 1)
    const length = readSync(file, buffer, 0, buffer.length, 0)
    if (length > bytesMax) throw new Error(`${path} is too long.`)
    return buffer.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}
