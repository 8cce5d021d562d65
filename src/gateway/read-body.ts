/**
 * Reads request bodies, with a limit for each and a limit for all of them together.
 *
 * E9. A body is held until its exchange ends, and responses take long. The bytes held by all
 *     sessions of a gateway are limited; requests over the limit are refused and may be retried.
 */

import type { IncomingMessage } from 'node:http'

export interface HeldBytes {
  /** False if the limit does not allow that many more. */
  take(bytes: number): boolean
  release(bytes: number): void
}

export function createHeldBytes(bytesMax: number): HeldBytes {
  let held = 0
  return {
    take(bytes) {
      if (held + bytes > bytesMax) return false
      held += bytes
      return true
    },
    release(bytes) {
      held -= bytes
    },
  }
}

/** `gone`: the client disconnected before the request was complete. */
export type ReadBody = Buffer | 'gone' | 'too-large' | 'too-many'

/**
 * The returned bytes stay accounted for; after anything else they are released. After a refusal the
 * rest of the body is discarded as it arrives, so that the client reads the refusal.
 */
export async function readBody(
  request: IncomingMessage,
  signal: AbortSignal,
  bytesMax: number,
  held: HeldBytes,
): Promise<ReadBody> {
  // A client that sends a byte now and then must not keep a closing session open.
  const abort = (): unknown => request.destroy()
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  const received = { bytes: 0 }
  let read: ReadBody = 'gone'
  try {
    read = await readUpTo(request, bytesMax, held, received)
  } catch (error) {
    // The client disconnected, or took too long.
    if (!request.destroyed) throw error
  } finally {
    signal.removeEventListener('abort', abort)
    if (!Buffer.isBuffer(read)) held.release(received.bytes)
  }
  return read
}

async function readUpTo(
  request: IncomingMessage,
  bytesMax: number,
  held: HeldBytes,
  received: { bytes: number },
): Promise<ReadBody> {
  const refuse = (why: 'too-large' | 'too-many'): ReadBody => {
    request.resume()
    return why
  }
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return refuse('too-large')
  const chunks: Buffer[] = []
  const body = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  for await (const chunk of body) {
    if (received.bytes + chunk.length > bytesMax) return refuse('too-large')
    if (!held.take(chunk.length)) return refuse('too-many')
    received.bytes += chunk.length
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
