/** The text of server-sent events. */

import type { RecordedEvent } from '../../host/index.ts'
import type { OutputEntry } from '../../protocol/api/index.ts'

/** What a browser waits before it comes again. */
const retryMs = 1000

const encoder = new TextEncoder()

export const openingFrame: Uint8Array = encoder.encode(`retry: ${retryMs}\n\n`)

/** A comment: it says that the line is alive. */
export const beatFrame: Uint8Array = encoder.encode(': beat\n\n')

export const runEventFrames = (events: readonly RecordedEvent[]): Uint8Array =>
  framesOf(events, ({ seq }) => seq, eventType)

export const storeEventFrames = (events: readonly RecordedEvent[]): Uint8Array =>
  framesOf(events, ({ position }) => position, eventType)

export const outputFrames = (entries: readonly OutputEntry[]): Uint8Array =>
  framesOf(
    entries,
    ({ seq }) => seq,
    () => 'output',
  )

const eventType = ({ event }: RecordedEvent): string => event.type

/** JSON has no line breaks, so that `data` is one line. */
const framesOf = <T>(
  items: readonly T[],
  idOf: (item: T) => number,
  typeOf: (item: T) => string,
): Uint8Array =>
  encoder.encode(
    items
      .map((item) => `id: ${idOf(item)}\nevent: ${typeOf(item)}\ndata: ${JSON.stringify(item)}\n\n`)
      .join(''),
  )
