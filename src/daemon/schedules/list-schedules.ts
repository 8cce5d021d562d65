/** All schedules as the API shows them: once, or as a stream. */

import type { Host } from '../../host/host.ts'
import { defined } from '../../loop/index.ts'
import type { ScheduleList } from '../../protocol/api/index.ts'
import { scheduleFrame } from '../streams/event-frames.ts'
import { findFeed } from '../streams/feed.ts'
import { streamOf } from '../streams/stream-events.ts'
import { openBook } from './book.ts'
import { viewSchedule, viewUnreadable } from './view.ts'

export interface ListParts {
  readonly host: Pick<Host, 'journal' | 'blobs'>
  /** Absent: this process does not drive them. */
  readonly schedules?: object
}

/** By name. */
export async function listSchedules(
  { host, schedules }: ListParts,
  nowMs: number,
): Promise<ScheduleList> {
  const book = await openBook(host.journal.schedules)
  const options = { nowMs, settings: book.settings() }
  const readable = book.entries().map((entry) => viewSchedule(entry, options))
  const items = [...readable, ...book.unreadable().map(viewUnreadable)]
  const { paused } = book.settings()
  return {
    items: items.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    driven: schedules !== undefined,
    ...defined({ paused }),
  }
}

/** Each message has all of them; its id counts the changes. Ends with the daemon. */
export function streamSchedules(parts: ListParts, after: number, now: () => number): Response {
  const { journal } = parts.host
  const start = { subject: 'store', what: 'schedules', after } as const
  return streamOf(findFeed(parts.host), start, async (place) => {
    // First: a change while the rest is read is sent again.
    const changes = await journal.schedules.changes()
    if (changes <= place) return undefined
    const frames = scheduleFrame(changes, await listSchedules(parts, now()))
    return { frames, last: changes, isEnd: false, isWhole: false }
  })
}
