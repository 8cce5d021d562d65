/** Keeps the end of a stream in a fixed amount of memory. */

export interface OutputTail {
  push(chunk: Uint8Array): void
  /** The last bytes as text, without a partial character at the start. */
  text(): string
  /** The total number of bytes pushed. */
  readonly bytes: number
}

export function createOutputTail(bytesMax: number): OutputTail {
  // Twice the limit, so that the tail is copied to the front only once in many chunks.
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
      return (isCut || from > 0 ? end.subarray(partialCharacterBytes(end)) : end).toString('utf8')
    },
  }
}

/** The number of continuation bytes of a character whose start was dropped; at most three in UTF-8. */
function partialCharacterBytes(bytes: Buffer): number {
  const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80)
  if (start >= 0) return start
  return bytes.length < 4 ? bytes.length : 0
}
