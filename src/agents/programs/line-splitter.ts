/**
 * Splits a byte stream into lines, in limited memory: a line that is too long is dropped as a
 * whole. Invalid UTF-8 becomes replacement characters.
 */

export interface LineSplitter {
  push(chunk: Uint8Array): void
  /** The rest after the last line break is a line too. */
  end(): void
  /** How many lines were too long. */
  readonly droppedLines: number
}

/** Longer than any event that matters: only tool output grows beyond it. */
export const lineBytesMax: number = 1024 * 1024

const lineFeed = 10
const firstBytes = 4096
/** Buffer size that is reused for the next line. */
const keptBytes = 64 * 1024

export function createLineSplitter(
  onLine: (line: string) => void,
  bytesMax: number = lineBytesMax,
): LineSplitter {
  let line = Buffer.alloc(0)
  let bytes = 0
  let droppedLines = 0

  /** One buffer that doubles: a stream may arrive byte by byte. */
  function append(part: Uint8Array): void {
    const from = bytes
    bytes += part.length
    if (bytes > bytesMax) {
      line = Buffer.alloc(0)
      return
    }
    if (bytes > line.length) {
      const larger = Buffer.alloc(Math.max(firstBytes, 2 * bytes))
      line.copy(larger, 0, 0, from)
      line = larger
    }
    line.set(part, from)
  }

  function finish(): void {
    const text = bytes > bytesMax ? undefined : line.toString('utf8', 0, bytes)
    if (line.length > keptBytes) line = Buffer.alloc(0)
    bytes = 0
    if (text === undefined) droppedLines++
    else onLine(text.endsWith('\r') ? text.slice(0, -1) : text)
  }

  return {
    get droppedLines() {
      return droppedLines
    },
    push(chunk) {
      let from = 0
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
        append(chunk.subarray(from, at))
        finish()
        from = at + 1
      }
      if (from < chunk.length) append(chunk.subarray(from))
    },
    end() {
      if (bytes > 0) finish()
    },
  }
}
