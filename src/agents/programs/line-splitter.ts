/**
 * The lines of a stream of bytes, in memory that does not grow with them: a line that is too long is left
 * out as a whole. Bytes that are no text become replacement characters.
 */

export interface LineSplitter {
  push(chunk: Uint8Array): void
  /** What is left after the last line end is a line too. */
  end(): void
  /** How many lines were too long. */
  readonly leftOut: number
}

/** Longer than any event of the programs that matters: only what tools print grows beyond it. */
export const lineBytesMax: number = 1024 * 1024

const lineFeed = 10
const firstBytes = 4096
/** What is kept for the next line. */
const keptBytes = 64 * 1024

export function createLineSplitter(
  onLine: (line: string) => void,
  bytesMax: number = lineBytesMax,
): LineSplitter {
  let line = Buffer.alloc(0)
  let bytes = 0
  let leftOut = 0

  /** In one buffer that doubles: a stream may come byte by byte. */
  function keep(part: Uint8Array): void {
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
    if (text === undefined) leftOut++
    else onLine(text.endsWith('\r') ? text.slice(0, -1) : text)
  }

  return {
    get leftOut() {
      return leftOut
    },
    push(chunk) {
      let from = 0
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
        keep(chunk.subarray(from, at))
        finish()
        from = at + 1
      }
      if (from < chunk.length) keep(chunk.subarray(from))
    },
    end() {
      if (bytes > 0) finish()
    },
  }
}
