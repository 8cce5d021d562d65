/**
 * Output that is longer than what is kept, on its way into a file.
 *
 * 1. The file is made when there is more than what is kept, and never before.
 * 2. Memory is bounded: those who produce are held back while the disk is behind.
 * 3. A disk that fails or hangs costs the file and nothing else.
 */

import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import type { Command } from '../engine/index.ts'

export interface SpillFile {
  /** `total` is what came from this stream, these bytes included. */
  push(chunk: Buffer, total: number): void
  /** Nobody is held back any more: what is left is only what pipes still hold. */
  release(): void
  /** Undefined when no file was needed or none could be written. */
  close(): Promise<{ readonly file: string; readonly bytes: number } | undefined>
}

export interface Producers {
  pause(): void
  resume(): void
}

/** How much may be on its way to the disk. */
const inFlightBytesMax = 1024 * 1024
/** How long a disk may take for the rest. */
const defaultCloseMsMax = 10_000

export interface SpillFileOptions {
  /** Emits `open` when the file is there and ours. */
  readonly create?: (file: string) => Writable
  readonly closeMsMax?: number
}

/** `keptBytes` of each stream are kept elsewhere. */
export function createSpillFile(
  { file, bytesMax }: NonNullable<Command['spill']>,
  keptBytes: number,
  producers: Producers,
  { create = createFile, closeMsMax = defaultCloseMsMax }: SpillFileOptions = {},
): SpillFile {
  const early = createEarly()
  let stream: Writable | undefined
  let isOurs = false
  let bytes = 0
  let hasFailed = false
  let isReleased = false

  const write = (chunk: Uint8Array): void => {
    const part = chunk.subarray(0, bytesMax - bytes)
    if (part.length === 0 || hasFailed) return
    bytes += part.length
    if (stream?.write(part) === false && !isReleased) producers.pause()
  }

  const open = (): void => {
    stream = create(file)
    stream.on('open', () => {
      isOurs = true
    })
    stream.on('drain', () => producers.resume())
    stream.on('error', () => {
      hasFailed = true
      producers.resume()
    })
    write(early.take())
  }

  return {
    push(chunk, total) {
      if (stream !== undefined) return write(chunk)
      early.add(chunk)
      if (total > keptBytes) open()
    },
    release() {
      isReleased = true
      producers.resume()
    },
    async close() {
      if (stream === undefined) return undefined
      const isWritten = await ended(stream, closeMsMax)
      if (isWritten && !hasFailed) return { file, bytes }
      stream.destroy()
      // Not waited for: the disk may hang.
      if (isOurs) void rm(file, { force: true }).catch(() => {})
      return undefined
    },
  }
}

/** Refuses a file that is there already. */
const createFile = (file: string): Writable =>
  createWriteStream(file, { flags: 'wx', mode: 0o600, highWaterMark: inFlightBytesMax })

/** False when it failed, or takes too long. */
async function ended(stream: Writable, closeMsMax: number): Promise<boolean> {
  if (stream.destroyed) return false
  let timer: NodeJS.Timeout | undefined
  const isWritten = await new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), closeMsMax)
    stream.once('close', () => resolve(stream.writableFinished))
    stream.end()
  })
  clearTimeout(timer)
  return isWritten
}

interface Early {
  add(chunk: Uint8Array): void
  take(): Uint8Array
}

/** Copies: a chunk of one byte may hold on to the 64 KiB it was cut from. */
function createEarly(): Early {
  let buffer = Buffer.allocUnsafe(0)
  let filled = 0
  return {
    add(chunk) {
      if (filled + chunk.length > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, filled + chunk.length, 1024))
        buffer.copy(larger, 0, 0, filled)
        buffer = larger
      }
      buffer.set(chunk, filled)
      filled += chunk.length
    },
    take() {
      const all = buffer.subarray(0, filled)
      buffer = Buffer.allocUnsafe(0)
      filled = 0
      return all
    },
  }
}
