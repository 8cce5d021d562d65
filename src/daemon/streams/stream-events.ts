/**
 * Streams events of one run or of all over HTTP. Reads by sequence number, woken by writes, so that a client
 * that reconnects with its last id continues with no gaps or duplicates.
 */

import type { Context } from 'hono'
import type { Host } from '../../host/host.ts'
import { isEnd, LoopError, type RunId } from '../../loop/index.ts'
import { runEventFrames, storeEventFrames } from './event-frames.ts'
import { type Feed, findFeed, type Subject } from './feed.ts'
import { sseResponse } from './sse-response.ts'

/** The part of `DaemonParts` that a stream needs. */
export interface StreamParts {
  readonly host: Pick<Host, 'journal' | 'blobs'>
}

/** Ends after `run-ended`. 204 if there will never be more, so that browsers do not reconnect. */
export async function streamRunEvents(
  c: Context,
  { host }: StreamParts,
  run: RunId,
  after: number = readPosition(c),
): Promise<Response> {
  const { status, lastSeq } = await host.journal.findRun(run)
  if (isEnd(status) && lastSeq <= after) return c.body(null, 204)
  return streamOf(findFeed(host), { subject: run, what: 'events', after }, async (place) => {
    const toSeq = blockEnd(place)
    const events = await host.journal.readTexts(run, { ...pageMax, afterSeq: place, toSeq })
    const last = events.at(-1)
    if (last === undefined) return undefined
    const isOver = last.type === 'run-ended'
    const isWhole = isOver || last.seq === toSeq
    return { frames: runEventFrames(events), last: last.seq, isEnd: isOver, isWhole }
  })
}

/** All runs' events by position; ends with the daemon. */
export async function streamStoreEvents(
  c: Context,
  { host }: StreamParts,
  after: number = readPosition(c),
): Promise<Response> {
  return streamOf(findFeed(host), { subject: 'store', what: 'events', after }, async (place) => {
    const events = await host.journal.readStoreTexts({ ...pageMax, afterPosition: place })
    const last = events.at(-1)
    if (last === undefined) return undefined
    const isWhole = events.length === pageMax.limit
    return { frames: storeEventFrames(events), last: last.position, isEnd: false, isWhole }
  })
}

/** Where a client continues: after the last event that it received, else after the one it names. */
export function readPosition(c: Context): number {
  const text = c.req.header('last-event-id') ?? c.req.query('after') ?? '0'
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new LoopError(
    'bad-request',
    'The position to continue from is not a number. Pass the id of the last event received, or none.',
  )
}

/** Ends all streams of a host, so that its daemon can stop. */
export const endStreams = (host: StreamParts['host']): void => findFeed(host).end()

export interface StreamPage {
  readonly frames: Uint8Array
  /** Continue after this. */
  readonly last: number
  readonly isEnd: boolean
  /** Later events cannot change it. */
  readonly isWhole: boolean
}

/**
 * Pages of a run have fixed boundaries, wherever a stream started, so that streams that are behind share
 * them.
 */
const blockEnd = (place: number): number => (Math.floor(place / pageMax.limit) + 1) * pageMax.limit

/** The most that a slow client keeps in memory, plus one event. */
const pageMax = { limit: 64, bytesMax: 64 * 1024 }

export interface StreamStart {
  readonly subject: Subject
  /** What is read: streams of the same kind at the same position share it. */
  readonly what: string
  readonly after: number
}

/** `read` returns what comes after a position; undefined: nothing yet. */
export function streamOf<Page extends StreamPage>(
  feed: Feed,
  { subject, what, after }: StreamStart,
  read: (place: number, before: Page | undefined) => Promise<Page | undefined>,
): Response {
  const close = feed.follow(subject)
  let place = after
  let before: Page | undefined
  return sseResponse(
    {
      close,
      async next(signal) {
        if (before?.isEnd === true) return 'end'
        const version = feed.version(subject)
        const page = await feed.share(
          subject,
          `${what}/${place}`,
          () => read(place, before),
          (made) => made?.isWhole === true,
        )
        if (page === undefined) {
          await feed.changed(subject, version, signal)
          return 'later'
        }
        place = page.last
        before = page
        return page.frames.length === 0 ? 'later' : page.frames
      },
    },
    { ended: feed.ended },
  )
}
