/** Streams the output of agents and checks over HTTP. The id is that of the event that contains it. */

import type { Context } from 'hono'
import { type OutputRead, readOutput } from '../../history/views/index.ts'
import { isEnd, type RunId } from '../../loop/index.ts'
import { outputFrames } from './event-frames.ts'
import { findFeed } from './feed.ts'
import { readPosition, type StreamPage, type StreamParts, streamOf } from './stream-events.ts'

/** Ends with the run. 204 if there will never be more. */
export async function streamOutput(
  c: Context,
  { host }: StreamParts,
  run: RunId,
  after: number = readPosition(c),
): Promise<Response> {
  const { status, lastSeq } = await host.journal.findRun(run)
  if (isEnd(status) && lastSeq <= after) return c.body(null, 204)
  return streamOf<OutputFrames>(
    findFeed(host),
    { subject: run, what: 'output', after },
    async (place, before) => {
      const page = await readOutput(host, run, {
        afterSeq: place,
        ...(before === undefined ? {} : { offsets: before.offsets }),
      })
      if (page.afterSeq <= place) return undefined
      const { items, afterSeq, offsets, isEnd: isOver } = page
      return {
        frames: outputFrames(items),
        last: afterSeq,
        isEnd: isOver,
        isWhole: isOver,
        offsets,
      }
    },
  )
}

interface OutputFrames extends StreamPage {
  readonly offsets: OutputRead['offsets']
}
