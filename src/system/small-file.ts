/**
 * Reads a file that somebody else may have put there: only a real file, no longer than it may be, and
 * without ever waiting. A pipe would wait for a writer for ever, a link could lead to anything.
 */

import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
const flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW

/** Rejects for anything else. */
export async function readSmallFile(path: string, bytesMax: number): Promise<string> {
  const file = await open(path, flags)
  try {
    const buffer = bufferFor(path, await file.stat(), bytesMax)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return textIn(path, buffer, bytesRead)
  } finally {
    await file.close()
  }
}

/** The same for those who cannot wait. */
export function readSmallFileSync(path: string, bytesMax: number): string {
  const file = openSync(path, flags)
  try {
    const buffer = bufferFor(path, fstatSync(file), bytesMax)
    return textIn(path, buffer, readSync(file, buffer, 0, buffer.length, 0))
  } finally {
    closeSync(file)
  }
}

/** With room for one byte more, which shows that it grew meanwhile. */
function bufferFor(path: string, stat: Stats, bytesMax: number): Buffer {
  if (!stat.isFile()) throw new Error(`${path} is not a file.`)
  if (stat.size > bytesMax) throw new Error(`${path} is too long.`)
  return Buffer.alloc(stat.size + 1)
}

function textIn(path: string, buffer: Buffer, length: number): string {
  if (length === buffer.length) throw new Error(`${path} grew while it was read.`)
  return buffer.toString('utf8', 0, length)
}
