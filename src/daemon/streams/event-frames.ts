/** The text of server-sent events. */

import type { Host } from '../../host/host.ts'
import type { ChangedSummaries, OutputEntry, ScheduleList } from '../../protocol/api/index.ts'

/** How long a browser waits before it reconnects. */
const retryMs = 1000

const encoder = new TextEncoder()

export const openingFrame: Uint8Array = encoder.encode(`retry: ${retryMs}\n\n`)

/** A comment that keeps the connection alive. */
export const keepAliveFrame: Uint8Array = encoder.encode(': beat\n\n')

type EventTexts = Awaited<ReturnType<Host['journal']['readTexts']>>

export const runEventFrames = (events: EventTexts): Uint8Array =>
  framesOf(events.map(({ seq, type, json }) => frameOf(seq, type, json)))

export const storeEventFrames = (events: EventTexts): Uint8Array =>
  framesOf(events.map(({ position, type, json }) => frameOf(position, type, json)))

export const outputFrames = (entries: readonly OutputEntry[]): Uint8Array =>
  framesOf(entries.map((entry) => frameOf(entry.seq, 'output', JSON.stringify(entry))))

export const summaryFrame = (position: number, changed: ChangedSummaries): Uint8Array =>
  framesOf([frameOf(position, 'summaries', JSON.stringify(changed))])

export const scheduleFrame = (changes: number, list: ScheduleList): Uint8Array =>
  framesOf([frameOf(changes, 'schedules', JSON.stringify(list))])

/** JSON has no line breaks, so that `data` is one line. */
const frameOf = (id: number, event: string, json: string): string =>
  `id: ${id}\nevent: ${event}\ndata: ${json}\n\n`

const framesOf = (frames: readonly string[]): Uint8Array => encoder.encode(frames.join(''))
