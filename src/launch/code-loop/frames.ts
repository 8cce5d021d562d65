/**
 * Messages on a byte stream: four bytes of length, then JSON. Replaces Node's IPC channel, which buffers a
 * message until its end, however long it is.
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
  /** Returns the messages that are complete. Throws if the length of the next one exceeds the limit. */
  push(chunk: Buffer): readonly string[]
}

export function createFrameReader(bytesMax: number): FrameReader {
  let chunks: Buffer[] = []
  let bufferedBytes = 0
  let frameBytes: number | undefined

  function take(bytes: number): Buffer {
    const whole = chunks.length === 1 ? chunks[0] : undefined
    const all = whole ?? Buffer.concat(chunks, bufferedBytes)
    const rest = all.subarray(bytes)
    chunks = rest.length === 0 ? [] : [rest]
    bufferedBytes = rest.length
    return all.subarray(0, bytes)
  }

  return {
    push(chunk) {
      chunks.push(chunk)
      bufferedBytes += chunk.length
      const frames: string[] = []
      for (;;) {
        if (frameBytes === undefined) {
          if (bufferedBytes < headerBytes) return frames
          frameBytes = take(headerBytes).readUInt32BE(0)
          if (frameBytes > bytesMax) throw new Error(`a message of ${frameBytes} bytes is too long`)
        }
        if (bufferedBytes < frameBytes) return frames
        frames.push(take(frameBytes).toString('utf8'))
        frameBytes = undefined
      }
    },
  }
}
