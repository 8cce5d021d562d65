/**
 * Reads a file from an untrusted source: only a regular file, no larger than a limit, and without ever
 * blocking. Opening a pipe would wait forever for a writer, and a symlink could point anywhere.
 */

import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
const flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW

/** Rejects if the path is not a regular file of at most `bytesMax` bytes. */
export async function readSmallFile(path: string, bytesMax: number): Promise<string> {
  const file = await open(path, flags)
  try {
    const buffer = allocateBuffer(path, await file.stat(), bytesMax)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return decodeText(path, buffer, bytesRead)
  } finally {
    await file.close()
  }
}

/** The synchronous form of `readSmallFile`. */
export function readSmallFileSync(path: string, bytesMax: number): string {
  const file = openSync(path, flags)
  try {
    const buffer = allocateBuffer(path, fstatSync(file), bytesMax)
    return decodeText(path, buffer, readSync(file, buffer, 0, buffer.length, 0))
  } finally {
    closeSync(file)
  }
}

/** One byte larger than the file, to detect that it grew after the stat. */
function allocateBuffer(path: string, stat: Stats, bytesMax: number): Buffer {
  if (!stat.isFile()) throw new Error(`${path} is not a regular file.`)
  if (stat.size > bytesMax) throw new Error(`${path} is too large.`)
  return Buffer.alloc(stat.size + 1)
}

function decodeText(path: string, buffer: Buffer, length: number): string {
  if (length === buffer.length) throw new Error(`${path} grew while it was being read.`)
  return buffer.toString('utf8', 0, length)
}
