/** How a stream of the scripted model server goes wrong, as streams of providers do. */

import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** What goes wrong while an answer is streamed. */
export type StreamFault =
  /** Byte by byte, with a pause after each. */
  | { readonly does: 'drip'; readonly everyMs: number }
  /** The connection breaks after this many events. */
  | { readonly does: 'cut'; readonly afterEvents: number }
  /** The connection breaks in the middle of this event, counted from 1. */
  | { readonly does: 'cut-inside'; readonly event: number }
  /** It goes silent after this many events, and stays open. */
  | { readonly does: 'stall'; readonly afterEvents: number }
  /** It ends normally, without its last event. */
  | { readonly does: 'no-stop' }
  /** One event, from 1, is not JSON. */
  | { readonly does: 'garble'; readonly event: number }
  /** Every byte arrives on its own, so that characters are split. */
  | { readonly does: 'split' }

/**
 * The events as they are written, each with its empty line. Returns how many were written
 * completely.
 */
export async function writeEvents(
  response: ServerResponse,
  events: readonly string[],
  fault: StreamFault | undefined,
): Promise<number> {
  switch (fault?.does) {
    case undefined:
      return end(response, events)
    case 'no-stop':
      end(response, events.slice(0, -1))
      return events.length
    case 'garble':
      return end(response, events.with(fault.event - 1, 'data: {"type": oh no}\n\n'))
    case 'stall':
      response.flushHeaders()
      for (const event of events.slice(0, fault.afterEvents)) response.write(event)
      return fault.afterEvents
    case 'cut':
      await cut(response, events.slice(0, fault.afterEvents).join(''))
      return fault.afterEvents
    case 'cut-inside': {
      const before = events.slice(0, fault.event - 1).join('')
      const half = events[fault.event - 1] ?? ''
      await cut(response, before + half.slice(0, Math.ceil(half.length / 2)))
      return fault.event - 1
    }
    case 'drip':
      return byteByByte(response, events, fault.everyMs)
    case 'split':
      return byteByByte(response, events, 0)
  }
}

function end(response: ServerResponse, events: readonly string[]): number {
  for (const event of events) response.write(event)
  response.end()
  return events.length
}

/** What was written arrives first. */
async function cut(response: ServerResponse, text: string): Promise<void> {
  response.flushHeaders()
  await new Promise<void>((resolve) => {
    if (text === '') resolve()
    else response.write(text, () => resolve())
  })
  response.socket?.destroySoon()
}

async function byteByByte(
  response: ServerResponse,
  events: readonly string[],
  everyMs: number,
): Promise<number> {
  response.socket?.setNoDelay(true)
  for (const [index, event] of events.entries()) {
    for (const byte of Buffer.from(event)) {
      if (response.destroyed) return index
      await new Promise((resolve) => response.write(Buffer.of(byte), resolve))
      if (everyMs > 0) await delay(everyMs, undefined, { ref: false })
    }
  }
  response.end()
  return events.length
}
