/** Files as lines, in memory that grows neither with the file nor with its lines. */

import type { FileHandle } from 'node:fs/promises'

export interface Line {
  readonly number: number
  readonly text: string
  /** How many bytes of it are not in the text. */
  readonly cutBytes: number
}

const chunkBytes = 64 * 1024
/** A file with a NUL in its beginning is no text. */
const sniffedBytes = 8 * 1024

export async function isBinary(handle: FileHandle): Promise<boolean> {
  const buffer = Buffer.allocUnsafe(sniffedBytes)
  const { bytesRead } = await handle.read(buffer, 0, sniffedBytes, 0)
  return buffer.subarray(0, bytesRead).includes(0)
}

/** From line `first` on. An end of line by CR and LF is one too. */
export async function* linesOf(
  handle: FileHandle,
  first: number,
  lineBytesMax: number,
  signal: AbortSignal,
): AsyncGenerator<Line> {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  let line = createLine(lineBytesMax)
  let number = 1
  let position = 0
  let isOpen = false
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position)
    if (bytesRead === 0) break
    position += bytesRead
    let from = 0
    while (from < bytesRead) {
      const end = buffer.subarray(0, bytesRead).indexOf(10, from)
      const to = end < 0 ? bytesRead : end
      if (number >= first) line.add(buffer.subarray(from, to))
      from = to + 1
      isOpen = end < 0
      if (isOpen) break
      if (number >= first) {
        yield line.take(number)
        line = createLine(lineBytesMax)
      }
      number++
    }
  }
  if (isOpen && number >= first) yield line.take(number)
}

interface LineBuilder {
  add(part: Uint8Array): void
  take(number: number): Line
}

function createLine(bytesMax: number): LineBuilder {
  const parts: Buffer[] = []
  let kept = 0
  let cut = 0
  return {
    add(part) {
      const room = part.subarray(0, bytesMax - kept)
      // A copy: the buffer is used again.
      if (room.length > 0) parts.push(Buffer.from(room))
      kept += room.length
      cut += part.length - room.length
    },
    take(number) {
      const text = Buffer.concat(parts).toString('utf8')
      if (cut > 0) return { number, text: text.replace(/\uFFFD+$/, ''), cutBytes: cut }
      return { number, text: text.replace(/\r$/, ''), cutBytes: 0 }
    },
  }
}
