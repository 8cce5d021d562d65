/**
 * An answer that goes on: pieces that are made when the client has taken those before.
 *
 * D3. Nothing is read for a client that does not read: the next piece is asked for by the stream itself
 *     once there is room, so that a slow one costs one page and no more.
 * D4. It ends when its source does, when the client is gone, when the daemon stops, and when the client
 *     has taken nothing for a long time; whoever comes again goes on where they were.
 */

import { beatFrame, openingFrame } from './event-frames.ts'

export interface SseSource {
  /** The next piece. `later`: there was none until the signal aborted, or there may be one now. */
  next(signal: AbortSignal): Promise<Uint8Array | 'later' | 'end'>
  close(): void
}

export interface SseOptions {
  readonly ended: AbortSignal
  /** How long the line is silent at most; 15 seconds unless told. */
  readonly beatMs?: number
  /** How long a client may take nothing; 5 minutes unless told. */
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
        if (wait.signal.aborted) return beatFrame
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
        // A record that is closed, or a run that was removed, has nothing more to say.
        const next = await piece().catch(() => undefined)
        if (next === undefined || gone.signal.aborted) {
          close()
          controller.close()
          return
        }
        controller.enqueue(next)
        stalled = setTimeout(() => {
          close()
          controller.error(new Error('The client has taken nothing for too long.'))
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
