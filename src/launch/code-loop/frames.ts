/**
 * Messages on a byte stream: four bytes of length, then JSON. A channel of our own instead of Node's,
 * because that one keeps whatever the other side sends until its end comes, however long it is.
 */

const headerBytes = 4

export function toFrame(text: string): Buffer {
  const bytes = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(headerBytes + bytes)
  frame.writeUInt32BE(bytes, 0)
  frame.write(text, headerBytes)
  return frame
}

export interface FrameReader {
  /** The messages that are whole now. Throws when one is announced that is too long. */
  push(chunk: Buffer): readonly string[]
}

export function createFrameReader(bytesMax: number): FrameReader {
  let chunks: Buffer[] = []
  let held = 0
  let wanted: number | undefined

  function take(bytes: number): Buffer {
    const whole = chunks.length === 1 ? chunks[0] : undefined
    const all = whole ?? Buffer.concat(chunks, held)
    const rest = all.subarray(bytes)
    chunks = rest.length === 0 ? [] : [rest]
    held = rest.length
    return all.subarray(0, bytes)
  }

  return {
    push(chunk) {
      chunks.push(chunk)
      held += chunk.length
      const frames: string[] = []
      for (;;) {
        if (wanted === undefined) {
          if (held < headerBytes) return frames
          wanted = take(headerBytes).readUInt32BE(0)
          if (wanted > bytesMax) throw new Error(`a message of ${wanted} bytes is too long`)
        }
        if (held < wanted) return frames
        frames.push(take(wanted).toString('utf8'))
        wanted = undefined
      }
    },
  }
}
