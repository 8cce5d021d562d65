/** Streams the summaries of runs that change, for pages that show many runs. The id is a position in the journal. */

import { type FindQueueEntry, viewChangedSummaries } from '../../history/views/view-summaries.ts'
import { summaryFrame } from './event-frames.ts'
import { findFeed } from './feed.ts'
import { type StreamParts, streamOf } from './stream-events.ts'

/** Ends with the daemon. A message has the newest state of each run, so a reader that is slow skips what lies between. */
export function streamSummaries(
  { host }: StreamParts,
  entryOf: FindQueueEntry,
  after: number,
): Response {
  return streamOf(findFeed(host), { subject: 'store', what: 'summaries', after }, async (place) => {
    const found = await viewChangedSummaries(host, entryOf, place)
    if (found === undefined) return undefined
    const { position, changed } = found
    return { frames: summaryFrame(position, changed), last: position, isEnd: false, isWhole: false }
  })
}
