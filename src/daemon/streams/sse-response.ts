/**
 * A streaming response: each chunk is produced after the client has read the previous one.
 *
 * D3. Backpressure: the stream asks for the next chunk only when there is room, so a slow client holds one
 *     page at most.
 * D4. It ends when its source ends, the client disconnects, the daemon stops, or the client has read nothing
 *     for a long time. A client that reconnects continues where it was.
 */

import { keepAliveFrame, openingFrame } from './event-frames.ts'

export interface SseSource {
  /** The next chunk. `later`: there was none until the signal aborted, or there may be one now. */
  next(signal: AbortSignal): Promise<Uint8Array | 'later' | 'end'>
  close(): void
}

export interface SseOptions {
  readonly ended: AbortSignal
  /** The longest silence before a keep-alive comment; default: 15 seconds. */
  readonly beatMs?: number
  /** How long a client may read nothing; default: 5 minutes. */
  readonly stalledMs?: number
}

export function sseResponse(source: SseSource, options: SseOptions): Response {
  const { beatMs = 15_000, stalledMs = 300_000, ended } = options
  const gone = new AbortController()
  let stalled: NodeJS.Timeout | undefined

  function close(): void {
    if (gone.signal.aborted) return
    clearTimeout(stalled)
    ended.removeEventListener('abort', close)
    gone.abort()
    source.close()
  }
  if (ended.aborted) close()
  ended.addEventListener('abort', close, { once: true })

  /** Undefined: that was all. */
  async function piece(): Promise<Uint8Array | undefined> {
    const wait = new AbortController()
    const stop = (): void => wait.abort()
    gone.signal.addEventListener('abort', stop, { once: true })
    const timer = setTimeout(stop, beatMs)
    try {
      while (!gone.signal.aborted) {
        const next = await source.next(wait.signal)
        if (next === 'end') return undefined
        if (next !== 'later') return next
        if (wait.signal.aborted) return keepAliveFrame
      }
      return undefined
    } finally {
      clearTimeout(timer)
      gone.signal.removeEventListener('abort', stop)
    }
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(openingFrame),
      async pull(controller) {
        clearTimeout(stalled)
        // The journal was closed, or the run was removed.
        const next = await piece().catch(() => undefined)
        if (next === undefined || gone.signal.aborted) {
          close()
          controller.close()
          return
        }
        controller.enqueue(next)
        stalled = setTimeout(() => {
          close()
          controller.error(new Error('The client has read nothing for too long.'))
        }, stalledMs)
        stalled.unref()
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers })
}

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}
