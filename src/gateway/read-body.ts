/**
 * Bodies of requests as they arrive, none too long, and not too much of them at once.
 *
 * E9. A body is held until its exchange is over, and answers take long. What all sessions of a gateway hold
 *     together is bounded: whoever sends more is told to come again.
 */

import type { IncomingMessage } from 'node:http'

export interface HeldBytes {
  /** False when there is no room for so many more. */
  take(bytes: number): boolean
  giveBack(bytes: number): void
}

export function createHeldBytes(bytesMax: number): HeldBytes {
  let held = 0
  return {
    take(bytes) {
      if (held + bytes > bytesMax) return false
      held += bytes
      return true
    },
    giveBack(bytes) {
      held -= bytes
    },
  }
}

/** `gone`: whoever sent it left before there was a question. */
export type ReadBody = Buffer | 'gone' | 'too-large' | 'too-many'

/**
 * The bytes of what is returned are held; nothing else is. After a refusal the rest is let go as it comes,
 * so that the refusal is read.
 */
export async function readBody(
  request: IncomingMessage,
  signal: AbortSignal,
  bytesMax: number,
  held: HeldBytes,
): Promise<ReadBody> {
  // Who sends a byte now and then must not keep a session open that is being closed.
  const leave = (): unknown => request.destroy()
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  const own = { bytes: 0 }
  let read: ReadBody = 'gone'
  try {
    read = await readUpTo(request, bytesMax, held, own)
  } catch (error) {
    // It left, or took too long.
    if (!request.destroyed) throw error
  } finally {
    signal.removeEventListener('abort', leave)
    if (!Buffer.isBuffer(read)) held.giveBack(own.bytes)
  }
  return read
}

async function readUpTo(
  request: IncomingMessage,
  bytesMax: number,
  held: HeldBytes,
  own: { bytes: number },
): Promise<ReadBody> {
  const refuse = (why: 'too-large' | 'too-many'): ReadBody => {
    request.resume()
    return why
  }
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return refuse('too-large')
  const chunks: Buffer[] = []
  const body = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  for await (const chunk of body) {
    if (own.bytes + chunk.length > bytesMax) return refuse('too-large')
    if (!held.take(chunk.length)) return refuse('too-many')
    own.bytes += chunk.length
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
