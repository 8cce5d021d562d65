/** Pages of evidence: the results of checks, each bound to its tree. */

import { loadRun } from '../../engine/index.ts'
import { defined, type RecordedEvent, type RunId, type TreeId } from '../../loop/index.ts'
import type { EvidenceEntry, Page } from '../../protocol/api/index.ts'
import { fromCursor, type PageOptions, pageLimit, toCursor } from './cursor.ts'
import type { RecordSource } from './record-source.ts'
import { loadResult, shorten } from './step-result.ts'

const outputMax = 4000

export async function viewEvidence(
  source: RecordSource,
  run: RunId,
  { limit = pageLimit, cursor }: PageOptions = {},
): Promise<Page<EvidenceEntry>> {
  const [afterSeq = 0] = fromCursor(cursor, 1)
  const { state } = await loadRun(source.journal, run)
  const events = await source.journal.readEvidence(run, { afterSeq, limit: limit + 1 })
  const page = events.slice(0, limit)
  const entries = await Promise.all(page.map((recorded) => toEntry(source, recorded, state.tree)))
  const items = entries.filter((entry) => entry !== undefined)
  const last = page.at(-1)
  return { items, ...(events.length > limit && last ? { next: toCursor(last.seq) } : {}) }
}

/** Undefined for an event without evidence. */
async function toEntry(
  source: RecordSource,
  { seq, atMs, event }: RecordedEvent,
  tree: TreeId | undefined,
): Promise<EvidenceEntry | undefined> {
  if (event.type !== 'step-finished' || event.evidence === undefined) return undefined
  const { step, evidence } = event
  const { exitCode, check } = await loadResult(source, event)
  return {
    seq,
    atMs,
    step,
    evidence,
    isCurrent: evidence.tree === tree,
    ...defined({ exitCode, durationMs: check?.durationMs }),
    ...(check === undefined ? {} : { output: shorten(check.output, outputMax).text }),
  }
}
