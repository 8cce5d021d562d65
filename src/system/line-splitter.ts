/** Splits chunks of bytes into lines. At most one line is buffered, and none is longer than the limit. */

export interface LineSplitter {
  /** False if a line exceeds the limit; push nothing after that. */
  push(chunk: Buffer): boolean
}

const lineFeed = 10

export function createLineSplitter(bytesMax: number, onLine: (line: string) => void): LineSplitter {
  let parts: Buffer[] = []
  let bytes = 0

  const end = (last: Buffer): void => {
    const line = Buffer.concat([...parts, last]).toString('utf8')
    parts = []
    bytes = 0
    if (line.trim() !== '') onLine(line)
  }

  return {
    push(chunk) {
      let from = 0
      for (;;) {
        const to = chunk.indexOf(lineFeed, from)
        const part = chunk.subarray(from, to < 0 ? undefined : to)
        if (bytes + part.length > bytesMax) {
          parts = []
          return false
        }
        if (to < 0) {
          parts.push(part)
          bytes += part.length
          return true
        }
        end(part)
        from = to + 1
      }
    },
  }
}
