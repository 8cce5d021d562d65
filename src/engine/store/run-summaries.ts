/** Runs with what lists of them show, read for a whole page at once. */

import type { EventType, Json, RunEvent, RunId } from '../../loop/index.ts'
import type { StateSummary } from '../../loop/run-summary.ts'
import type { RunRow } from './journal.ts'
import type { RunPageOptions } from './run-page.ts'

export interface SummaryPageOptions extends RunPageOptions {
  /** Only these. */
  readonly runs?: readonly RunId[]
}

export interface SummaryRow {
  readonly run: RunRow
  /** Absent: the run has not started, or an earlier version wrote it. */
  readonly summary?: StateSummary
  /** Its last event; without its content if that is long. */
  readonly last: { readonly type: EventType; readonly atMs: number; readonly event?: RunEvent }
  /** Its open question with the earliest deadline, and how many it has. */
  readonly question?: OpenQuestionSummary
  /** What was decided about its work. */
  readonly review?: Json
}

export interface OpenQuestionSummary {
  readonly id: string
  readonly text: string
  readonly askedAtMs: number
  readonly deadlineAtMs: number
  readonly count: number
}

export interface SummaryPage {
  readonly rows: readonly SummaryRow[]
  /** Where the next page begins. Absent: this is the last one. */
  readonly next?: number
  /** The rows contain at least every event up to this position. */
  readonly position: number
}
