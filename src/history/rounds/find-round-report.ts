/** Finds the report of a round in the journal of its run. */

import { type Blobs, type Journal, load } from '../../engine/index.ts'
import type { RunId } from '../../loop/index.ts'
import { type RoundReport, roundReportRole } from '../../protocol/round/round-report.ts'
import { roundReportSchema } from '../../protocol/round/round-report-schema.ts'

const pageSize = 500

/** Undefined: the run is not a round, or has not reported yet. If it reported more than once, the last one counts. */
export async function findRoundReport(
  { journal, blobs }: { readonly journal: Pick<Journal, 'read'>; readonly blobs: Blobs },
  run: RunId,
): Promise<RoundReport | undefined> {
  let found: RoundReport | undefined
  let afterSeq = 0
  while (true) {
    const events = await journal.read(run, { afterSeq, limit: pageSize, types: ['step-finished'] })
    for (const { event } of events) {
      if (event.type !== 'step-finished' || event.role !== roundReportRole) continue
      // The content of a large result may have been deleted.
      const value = await load(event.result, blobs).catch(() => undefined)
      found = roundReportSchema.safeParse(value).data ?? found
    }
    const last = events.at(-1)
    if (last === undefined || events.length < pageSize) return found
    afterSeq = last.seq
  }
}
