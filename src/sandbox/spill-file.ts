/**
 * Writes output that exceeds what is kept in memory to a file.
 *
 * 1. The file is created only when there is more output than memory keeps.
 * 2. Memory is limited: the producers are paused while the disk is behind.
 * 3. If the disk fails or hangs, only the file is lost.
 */

import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import type { Command } from '../engine/index.ts'

export interface SpillFile {
  /** `total` is the number of bytes of this stream so far, including the chunk. */
  push(chunk: Buffer, total: number): void
  /** Stops pausing the producers: only the content of the pipes remains. */
  release(): void
  /** Undefined if no file was needed or it could not be written. */
  close(): Promise<{ readonly file: string; readonly bytes: number } | undefined>
}

export interface Producers {
  pause(): void
  resume(): void
}

/** Bytes that may be waiting to be written. */
const inFlightBytesMax = 1024 * 1024
/** How long the disk may take to write the rest. */
const defaultCloseMsMax = 10_000

export interface SpillFileOptions {
  /** Emits `open` when it has created the file. */
  readonly create?: (file: string) => Writable
  readonly closeMsMax?: number
}

/** The caller keeps `keptBytes` of each stream in memory. */
export function createSpillFile(
  { file, bytesMax }: NonNullable<Command['spill']>,
  keptBytes: number,
  producers: Producers,
  { create = createFile, closeMsMax = defaultCloseMsMax }: SpillFileOptions = {},
): SpillFile {
  const early = createChunkBuffer()
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
      const isWritten = await endStream(stream, closeMsMax)
      if (isWritten && !hasFailed) return { file, bytes }
      stream.destroy()
      // Not awaited, because the disk may hang.
      if (isOurs) void rm(file, { force: true }).catch(() => {})
      return undefined
    },
  }
}

/** Fails if the file exists. */
const createFile = (file: string): Writable =>
  createWriteStream(file, { flags: 'wx', mode: 0o600, highWaterMark: inFlightBytesMax })

/** False if writing failed or timed out. */
async function endStream(stream: Writable, closeMsMax: number): Promise<boolean> {
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

interface ChunkBuffer {
  add(chunk: Uint8Array): void
  take(): Uint8Array
}

/** Copies the chunks, because a chunk of one byte may keep its 64 KiB buffer alive. */
function createChunkBuffer(): ChunkBuffer {
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
