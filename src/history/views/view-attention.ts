/** How much attention the runs of each loop needed: the questions they asked, and how long they waited. */

import type { RunFilter } from '../../engine/index.ts'
import type { LoopAttention } from '../../protocol/api/run.ts'
import type { RecordSource } from './record-source.ts'
import { viewRuns } from './view-runs.ts'

const runsPerRead = 500

/** The most questions first. */
export async function viewAttention(
  source: RecordSource,
  filter: RunFilter = {},
): Promise<readonly LoopAttention[]> {
  const sums = new Map<string, LoopAttention>()
  let cursor: string | undefined
  do {
    const from = cursor === undefined ? {} : { cursor }
    const page = await viewRuns(source, { ...filter, ...from, limit: runsPerRead, attention: true })
    for (const { loop, attention = { questions: 0, waitedMs: 0 } } of page.items) {
      const before = sums.get(loop) ?? { loop, runs: 0, questions: 0, waitedMs: 0 }
      sums.set(loop, {
        loop,
        runs: before.runs + 1,
        questions: before.questions + attention.questions,
        waitedMs: before.waitedMs + attention.waitedMs,
      })
    }
    cursor = page.next
  } while (cursor !== undefined)
  return [...sums.values()].toSorted(
    (a, b) => b.questions - a.questions || (a.loop < b.loop ? -1 : 1),
  )
}
