/** The events and output of a run, by sequence: existing ones in pages, new ones as a stream. */

import { isEnd, type RecordedEvent } from '../loop/index.ts'
import type {
  ChangedSummaries,
  OutputEntry,
  Page,
  RunDetail,
  ScheduleList,
} from '../protocol/api/index.ts'
import { type Query, runPath, type Streamed } from './client.ts'
import { followStream } from './follow.ts'
import type { Transport } from './transport.ts'

export async function* streamEvents(
  transport: Transport,
  run: string,
  options: Streamed = {},
): AsyncGenerator<RecordedEvent> {
  for await (const recorded of sequence<RecordedEvent>(transport, run, 'events', options)) {
    yield recorded
    if (recorded.event.type === 'run-ended') return
  }
}

export const streamOutput = (
  transport: Transport,
  run: string,
  options: Streamed = {},
): AsyncGenerator<OutputEntry> => sequence(transport, run, 'output', options)

/** Ends only when the signal aborts: a daemon that stops is started again. */
export async function* streamSummaries(
  transport: Transport,
  { afterSeq = 0, signal, onBreak, onPosition }: Streamed,
): AsyncGenerator<ChangedSummaries> {
  const messages = followStream({
    after: String(afterSeq),
    signal,
    onBreak,
    open: (lastId, stop) =>
      transport.stream('/summaries', { headers: { 'last-event-id': lastId }, signal: stop }),
    isOver: async () => false,
  })
  for await (const { id, data } of messages) {
    yield JSON.parse(data) as ChangedSummaries
    onPosition?.(Number(id))
  }
}

/** Ends only when the signal aborts. */
export async function* streamSchedules(
  transport: Transport,
  { signal, onBreak }: Streamed,
): AsyncGenerator<ScheduleList> {
  const messages = followStream({
    after: noneYet,
    signal,
    onBreak,
    open: (lastId, stop) =>
      transport.stream('/schedules', {
        ...(lastId === noneYet ? {} : { headers: { 'last-event-id': lastId } }),
        signal: stop,
      }),
    isOver: async () => false,
  })
  for await (const { data } of messages) yield JSON.parse(data) as ScheduleList
}

/** Before the first change of schedules. */
const noneYet = '-1'

async function* sequence<T>(
  transport: Transport,
  run: string,
  what: 'events' | 'output',
  { afterSeq = 0, follow = true, signal, onBreak }: Streamed,
): AsyncGenerator<T> {
  const path = runPath(run, what)
  if (!follow) {
    yield* pages<T>(transport, path, { after: afterSeq }, signal)
    return
  }
  const messages = followStream({
    after: String(afterSeq),
    signal,
    onBreak,
    open: (lastId, stop) =>
      transport.stream(path, { headers: { 'last-event-id': lastId }, signal: stop }),
    // The daemon closes a stream at the end of the run, and when it stops.
    isOver: async () => {
      const { run: row } = (await transport.json('GET', runPath(run), { signal })) as RunDetail
      return isEnd(row.status)
    },
  })
  for await (const { data } of messages) yield JSON.parse(data) as T
}

const pageItems = 1000

async function* pages<T>(
  transport: Transport,
  path: string,
  first: Query,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  let query: Query = first
  for (;;) {
    const url = `${path}${toQueryString({ ...query, limit: pageItems })}`
    const { items, next } = (await transport.json('GET', url, { signal })) as Page<T>
    yield* items
    if (next === undefined) return
    query = { cursor: next }
  }
}

export function toQueryString(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
