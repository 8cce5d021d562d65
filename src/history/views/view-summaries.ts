/** Runs with what lists show of them: a page, or those that changed since a position. */

import type { SummaryPageOptions, SummaryRow } from '../../engine/index.ts'
import { loadRun } from '../../engine/index.ts'
import {
  defined,
  describeEvent,
  initialState,
  isEnd,
  type RunId,
  type RunState,
} from '../../loop/index.ts'
import { type StateSummary, summarizeState } from '../../loop/run-summary.ts'
import type { QueueEntry } from '../../protocol/api/queue.ts'
import type {
  ChangedSummaries,
  RunSummaries,
  RunSummary,
  WaitsFor,
} from '../../protocol/api/run-summary.ts'
import { createRecentMap } from '../../system/recent-map.ts'
import type { Review } from '../review.ts'
import { fromCursor, type PageOptions, toCursor } from './cursor.ts'
import { describeRunLine } from './describe-run-line.ts'
import { readMergePositions } from './merge-positions.ts'
import type { RecordSource } from './record-source.ts'

type Source = Pick<RecordSource, 'journal'>

/** The entry of a run in the daemon's queue. */
export type FindQueueEntry = (run: RunId) => QueueEntry | undefined

export interface SummariesChoice
  extends PageOptions,
    Omit<SummaryPageOptions, 'before' | 'limit'> {}

export async function viewSummaries(
  { journal }: Source,
  entryOf: FindQueueEntry,
  { cursor, ...choice }: SummariesChoice = {},
): Promise<RunSummaries> {
  const [before = 0] = fromCursor(cursor, 1)
  const { rows, next, position } = await journal.pageSummaries({
    ...choice,
    ...(cursor === undefined ? {} : { before }),
  })
  const items = await toSummaries({ journal }, entryOf, rows)
  return { items, position, ...(next === undefined ? {} : { next: toCursor(next) }) }
}

/** With more changed runs, a reader gets the list again. */
const changedMax = 200

/** Undefined: nothing has changed. */
export async function viewChangedSummaries(
  { journal }: Source,
  entryOf: FindQueueEntry,
  afterPosition: number,
): Promise<{ readonly position: number; readonly changed: ChangedSummaries } | undefined> {
  const { position, runs } = await journal.changedRuns(afterPosition)
  if (runs.length === 0) return undefined
  if (runs.length > changedMax) return { position, changed: { items: [], isTooMany: true } }
  const { rows } = await journal.pageSummaries({ runs, limit: runs.length })
  return { position, changed: { items: await toSummaries({ journal }, entryOf, rows) } }
}

async function toSummaries(
  { journal }: Source,
  entryOf: FindQueueEntry,
  rows: readonly SummaryRow[],
): Promise<readonly RunSummary[]> {
  const merging = await readMergePositions(
    journal,
    rows.map(({ run }) => run),
  )
  const items: RunSummary[] = []
  for (const row of rows) {
    const summary = row.summary ?? (await summarizeOlder(journal, row))
    const run = { ...row.run, ...defined({ merging: merging.get(row.run.id) }) }
    items.push(toSummary({ ...row, run }, summary, entryOf(row.run.id)))
  }
  return items
}

function toSummary(
  { run, last, question, review }: SummaryRow,
  { metThen: _metThen, branch, ...summary }: StateSummary,
  entry: QueueEntry | undefined,
): RunSummary {
  const waitsFor = findWait(run, summary, question, entry)
  const lastText = last.event === undefined ? last.type : describeEvent(last.event)
  return {
    ...summary,
    run: { ...run, ...defined({ branch }) },
    line: describeRunLine({ run, summary, waitsFor, lastText }),
    lastEvent: { type: last.type, atMs: last.atMs, text: shorten(lastText) },
    ...defined({ waitsFor, review: review as Review | undefined }),
  }
}

function findWait(
  { status, merging }: SummaryRow['run'],
  { limitedUntilMs }: Pick<StateSummary, 'limitedUntilMs'>,
  question: SummaryRow['question'],
  entry: QueueEntry | undefined,
): WaitsFor | undefined {
  if (isEnd(status)) return undefined
  if (question !== undefined) {
    const { id, ...asked } = question
    return { type: 'person', question: id, ...asked }
  }
  if (merging !== undefined) return { type: 'merge', ...merging }
  if (limitedUntilMs !== undefined) return { type: 'provider', untilMs: limitedUntilMs }
  if (entry?.state !== 'queued') return undefined
  const { why = 'waits for its turn', position } = entry
  return { type: 'queue', why, ...defined({ position }) }
}

const textCharsMax = 300

const shorten = (text: string): string =>
  text.length > textCharsMax ? `${text.slice(0, textCharsMax)}…` : text

const older = createRecentMap<string, StateSummary>(2000)

/** Of a run that an earlier version wrote, or that has not started: from its events. */
async function summarizeOlder(
  journal: Source['journal'],
  { run }: SummaryRow,
): Promise<StateSummary> {
  const key = `${run.id}@${run.lastSeq}`
  const known = older.get(key)
  if (known !== undefined) return known
  const state: RunState | undefined = await loadRun(journal, run.id).then(
    (loaded) => loaded.state,
    // It was removed meanwhile.
    () => undefined,
  )
  const summary = summarizeState(state ?? initialState)
  older.set(key, summary)
  return summary
}
