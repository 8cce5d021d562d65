/**
 * A row for each run with the summary of its state, written in the transaction of its events, and the pages of runs
 * that are made of it. A page takes the same few queries however many runs it has.
 */

import type {
  OpenQuestionSummary,
  SummaryPage,
  SummaryPageOptions,
  SummaryRow,
} from '../../engine/index.ts'
import { defined, type Json, type RunState } from '../../loop/index.ts'
import { summarizeState } from '../../loop/run-summary.ts'
import type { Database } from '../database.ts'
import { decodeEvent, eventTypeOf } from '../event-code.ts'
import type { JoinedLease } from '../leases.ts'
import { conditionsOf, defaultLimit } from '../page-runs.ts'
import { type RunColumns, runColumns, toRunRow } from '../rows.ts'
import { lastPosition } from '../store-position.ts'
import {
  decodeSummary,
  type EncodedSummary,
  encodeSummary,
  isSameExceptTime,
} from './summary-code.ts'

export interface SummaryKeeper {
  keep(key: number, state: RunState): void
  /** The row may differ from what was last written here. */
  forget(key: number): void
}

export function createSummaryKeeper(database: Database): SummaryKeeper {
  const select = database.prepare('SELECT body FROM summaries WHERE run = ?')
  const put = database.prepare(
    'INSERT INTO summaries (run, body) VALUES (?, ?) ' +
      'ON CONFLICT (run) DO UPDATE SET body = excluded.body',
  )
  const written = new Map<number, EncodedSummary>()
  const readWritten = (key: number): EncodedSummary | undefined => {
    const row = select.get(key) as { readonly body: string } | undefined
    return row && encodeSummary(decodeSummary(row.body))
  }
  return {
    keep(key, state) {
      const before = written.get(key) ?? readWritten(key)
      const encoded = encodeSummary(summarizeState(state, before?.summary), before)
      const hasChanged = before === undefined || !isSameExceptTime(encoded, before)
      if (hasChanged) put.run(key, encoded.body)
      if (state.outcome !== undefined) written.delete(key)
      else if (hasChanged) written.set(key, encoded)
    },
    forget: (key) => void written.delete(key),
  }
}

/** A longer event is not read only to say what happened last. */
const eventCharsMax = 4096
const questionCharsMax = 2000

const pageColumns = runColumns.replace(
  'FROM runs',
  `, runs.repository, summaries.body AS summary, last.type AS last_type,
  CASE WHEN length(last.body) <= ${eventCharsMax} THEN last.body END AS last_body
  FROM runs LEFT JOIN summaries ON summaries.run = runs.key
  JOIN events AS last ON last.run = runs.key
    AND last.seq = (SELECT max(seq) FROM events WHERE run = runs.key)`,
)

interface SummaryColumns extends RunColumns {
  readonly repository: string | null
  readonly summary: string | null
  readonly last_type: number
  readonly last_body: string | null
}

export function pageSummaries(
  database: Database,
  { runs, ...options }: SummaryPageOptions,
  isHeld: (lease: JoinedLease) => boolean,
): SummaryPage {
  // First, so that what is written meanwhile counts as later.
  const position = lastPosition(database)
  const limit = options.limit ?? defaultLimit
  const { sql, values } = conditionsOf(options)
  const chosen = runs === undefined ? '' : 'runs.id IN (SELECT value FROM json_each(?))'
  const where = [sql.replace(/^WHERE /, ''), chosen].filter((text) => text !== '').join(' AND ')
  const rows = database
    .prepare(
      `SELECT ${pageColumns} ${where === '' ? '' : `WHERE ${where}`} ORDER BY runs.key DESC LIMIT ?`,
    )
    .all(
      ...values,
      ...(runs === undefined ? [] : [JSON.stringify(runs)]),
      limit + 1,
    ) as SummaryColumns[]
  const page = rows.slice(0, limit)
  const keys = JSON.stringify(page.map(({ key }) => key))
  const questions = readQuestionSummaries(database, keys)
  const reviews = readReviews(database, keys)
  const last = page.at(-1)
  return {
    position,
    rows: page.map((row) => {
      const shown = toSummaryRow(row, isHeld(row))
      return {
        ...shown,
        ...defined({ question: questions.get(row.key), review: reviews.get(row.key) }),
      }
    }),
    ...(rows.length > limit && last !== undefined ? { next: last.key } : {}),
  }
}

function toSummaryRow(row: SummaryColumns, held: boolean): SummaryRow {
  const { repository, summary, last_type: type, last_body: body, updated_at: atMs } = row
  const run = toRunRow(row, held)
  return {
    run: repository === null ? run : { ...run, repository },
    last: {
      type: eventTypeOf(type),
      atMs,
      ...(body === null ? {} : { event: decodeEvent(type, body) }),
    },
    ...(summary === null ? {} : { summary: decodeSummary(summary) }),
  }
}

/** Answered questions only wait until their run applies the answer. */
const questionsSql = `
  SELECT questions.run, questions.question AS id, questions.asked_at, questions.deadline_at,
    substr(json_extract(events.body, '$.question.text'), 1, ${questionCharsMax}) AS text
  FROM questions JOIN events ON events.run = questions.run AND events.seq = questions.seq
  WHERE questions.run IN (SELECT value FROM json_each(?)) AND NOT EXISTS (
    SELECT 1 FROM decisions WHERE decisions.run = questions.run
      AND decisions.question = questions.question AND decisions.applied_seq IS NULL)
  ORDER BY questions.run, questions.deadline_at, questions.question`

interface QuestionColumns {
  readonly run: number
  readonly id: string
  readonly asked_at: number
  readonly deadline_at: number
  readonly text: string | null
}

function readQuestionSummaries(
  database: Database,
  keys: string,
): ReadonlyMap<number, OpenQuestionSummary> {
  const found = new Map<number, OpenQuestionSummary>()
  for (const row of database.prepare(questionsSql).all(keys) as QuestionColumns[]) {
    const { run, id, text, asked_at: askedAtMs, deadline_at: deadlineAtMs } = row
    const first = found.get(run)
    const count = (first?.count ?? 0) + 1
    found.set(run, { ...(first ?? { id, text: text ?? '', askedAtMs, deadlineAtMs }), count })
  }
  return found
}

function readReviews(database: Database, keys: string): ReadonlyMap<number, Json> {
  const sql =
    "SELECT run, body FROM facts WHERE name = 'review' AND run IN (SELECT value FROM json_each(?))"
  const rows = database.prepare(sql).all(keys) as { readonly run: number; readonly body: string }[]
  return new Map(rows.map(({ run, body }) => [run, JSON.parse(body) as Json]))
}
