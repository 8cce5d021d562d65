/** Reads files as lines, in memory that does not grow with the file or its lines. */

import type { FileHandle } from 'node:fs/promises'

export interface Line {
  readonly number: number
  readonly text: string
  /** How many of its bytes are not in the text. */
  readonly cutBytes: number
}

const chunkBytes = 64 * 1024
/** A file with a NUL byte near its start is binary. */
const sniffedBytes = 8 * 1024

export async function isBinary(handle: FileHandle): Promise<boolean> {
  const buffer = Buffer.allocUnsafe(sniffedBytes)
  const { bytesRead } = await handle.read(buffer, 0, sniffedBytes, 0)
  return hasNul(buffer, bytesRead)
}

const hasNul = (buffer: Buffer, length: number): boolean =>
  buffer.subarray(0, Math.min(length, sniffedBytes)).includes(0)

/**
 * Yields lines from line `first` on, in batches; with `textOnly`, none of a binary file. Lines end
 * with LF or CRLF.
 */
export async function* readLines(
  handle: FileHandle,
  first: number,
  lineBytesMax: number,
  signal: AbortSignal,
  { textOnly = false }: { readonly textOnly?: boolean } = {},
): AsyncGenerator<readonly Line[]> {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  const open = createOpenLine(lineBytesMax)
  let number = 1
  let position = 0
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position)
    if (textOnly && position === 0 && hasNul(buffer, bytesRead)) return
    position += bytesRead
    const lines: Line[] = []
    let from = 0
    for (;;) {
      // Bytes left over from an earlier read are not part of this one.
      const end = buffer.indexOf(10, from)
      if (end < 0 || end >= bytesRead) break
      const part = buffer.subarray(from, end)
      if (number >= first) lines.push(open.end(part, number))
      number++
      from = end + 1
    }
    if (number >= first) open.add(buffer.subarray(from, bytesRead))
    if (lines.length > 0) yield lines
    // A read returns less than requested only at the end of the file.
    if (bytesRead < chunkBytes) break
  }
  if (!open.isEmpty) yield [open.end(Buffer.of(), number)]
}

interface OpenLine {
  readonly isEmpty: boolean
  add(part: Buffer): void
  /** Completes the line with its last part; then the next one starts. */
  end(part: Buffer, number: number): Line
}

/** A line whose end has not been read yet. */
function createOpenLine(bytesMax: number): OpenLine {
  let parts: Buffer[] = []
  let heldBytes = 0
  let cut = 0
  const add = (part: Buffer): void => {
    const room = part.subarray(0, bytesMax - heldBytes)
    // A copy, because the buffer is reused.
    if (room.length > 0) parts.push(Buffer.from(room))
    heldBytes += room.length
    cut += part.length - room.length
  }
  return {
    get isEmpty() {
      return heldBytes === 0
    },
    add,
    end(part, number) {
      if (heldBytes === 0 && part.length <= bytesMax) return toLine(part, 0, number)
      add(part)
      const line = toLine(Buffer.concat(parts), cut, number)
      parts = []
      heldBytes = 0
      cut = 0
      return line
    },
  }
}

function toLine(bytes: Buffer, cutBytes: number, number: number): Line {
  if (cutBytes > 0) {
    // The last character may be incomplete.
    return { number, text: bytes.toString('utf8').replace(/\uFFFD+$/, ''), cutBytes }
  }
  const isReturn = bytes.length > 0 && bytes[bytes.length - 1] === 13
  const end = isReturn ? bytes.length - 1 : bytes.length
  return { number, text: bytes.toString('utf8', 0, end), cutBytes }
}
