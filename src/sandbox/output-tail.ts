/** The end of a stream, in memory that does not grow with the stream. */

export interface OutputTail {
  push(chunk: Uint8Array): void
  /** The last bytes as text, without the rest of a character that was cut. */
  text(): string
  /** How many came in all. */
  readonly bytes: number
}

export function createOutputTail(bytesMax: number): OutputTail {
  // Twice the limit, so that the end is moved to the front once in many chunks.
  const buffer = Buffer.allocUnsafe(2 * bytesMax)
  let filled = 0
  let isCut = false
  let bytes = 0

  return {
    get bytes() {
      return bytes
    },
    push(chunk) {
      bytes += chunk.length
      const end = chunk.subarray(Math.max(0, chunk.length - bytesMax))
      if (filled + end.length > buffer.length) {
        buffer.copyWithin(0, filled - bytesMax, filled)
        filled = bytesMax
        isCut = true
      }
      buffer.set(end, filled)
      filled += end.length
      isCut ||= end.length < chunk.length
    },
    text() {
      const from = Math.max(0, filled - bytesMax)
      const end = buffer.subarray(from, filled)
      return (isCut || from > 0 ? end.subarray(restOfCharacter(end)) : end).toString('utf8')
    },
  }
}

/** How many bytes belong to a character whose beginning is gone; at most three, as UTF-8 has it. */
function restOfCharacter(bytes: Buffer): number {
  const beginning = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80)
  if (beginning >= 0) return beginning
  return bytes.length < 4 ? bytes.length : 0
}
