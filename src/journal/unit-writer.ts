/**
 * Writes one unit inside the transaction of the caller.
 *
 * E1. A unit follows the events on disk without a gap, or is refused: the caller may not know yet that
 *     the previous unit failed.
 */

import { storeErrors, type Unit } from '../engine/index.ts'
import type { BlobId, RunEvent, TreeId } from '../loop/index.ts'
import type { Database } from './database.ts'
import { encodeEvent } from './event-code.ts'
import { createQuestionKeeper, endsIteration } from './question-table.ts'
import { nextPosition } from './remove-run.ts'
import { createSummaryKeeper } from './summaries/summary-table.ts'

export const insertEventSql: string =
  'INSERT INTO events (position, run, seq, at, type, body) ' +
  `VALUES (${nextPosition}, ?, ?, ?, ?, ?)`

/** A process that takes over a run continues with the existing snapshot and tail. */
const selectSizesSql =
  'SELECT coalesce(length(kept.body), 0) AS snapshotBytes, coalesce((SELECT sum(length(body)) ' +
  'FROM events WHERE run = ?1 AND seq > coalesce(kept.seq, 0)), 0) AS tailBytes, ' +
  '(SELECT max(seq) FROM events WHERE run = ?1) AS lastSeq ' +
  'FROM (SELECT 1) LEFT JOIN snapshots AS kept ON kept.run = ?1'

/** A snapshot is not worth its size before the tail has grown this large. */
const tailBytesMin = 32 * 1024

interface Sizes {
  lastSeq: number
  tailBytes: number
  snapshotBytes: number
}

interface Written extends Sizes {
  status: string
}

export interface UnitWriter {
  write(key: number, unit: Unit, markApplied: (id: number, seq: number) => void): void
  /** The row may differ from what was last written here: a commit failed, or another process wrote. */
  forget(key: number): void
}

export function createUnitWriter(database: Database): UnitWriter {
  const insertEvent = database.prepare(insertEventSql)
  const updateStatus = database.prepare('UPDATE runs SET status = ? WHERE key = ?')
  const putSnapshot = database.prepare(
    'INSERT INTO snapshots (run, seq, body) VALUES (?, ?, ?) ' +
      'ON CONFLICT (run) DO UPDATE SET seq = excluded.seq, body = excluded.body',
  )
  // Decisions that were made while the run was ending change nothing.
  const closeDecisions = database.prepare(
    'UPDATE decisions SET applied_seq = ? WHERE run = ? AND applied_seq IS NULL',
  )
  const selectSizes = database.prepare(selectSizesSql)
  const nameContent = createContentNames(database)
  const keepIterations = createIterationKeeper(database)
  const keepQuestions = createQuestionKeeper(database)
  const summaries = createSummaryKeeper(database)
  const last = new Map<number, Written>()

  function write(key: number, unit: Unit, markApplied: (id: number, seq: number) => void): void {
    const { state } = unit
    let written = last.get(key)
    if (written === undefined) {
      written = { status: '', ...(selectSizes.get(key) as Sizes) }
      last.set(key, written)
    }
    let seq = unit.firstSeq
    if (seq !== written.lastSeq + 1) throw storeErrors.outOfPlace(seq, written.lastSeq)
    for (const event of unit.events) {
      const { code, body } = encodeEvent(event)
      written.tailBytes += body.length
      insertEvent.run(key, seq, unit.atMs, code, body)
      if (event.type === 'decision-applied') markApplied(event.id, seq)
      keepIterations(key, seq, event)
      keepQuestions(key, seq, unit.atMs, event)
      seq++
    }
    written.lastSeq = seq - 1
    const { boundary } = unit
    if (
      boundary !== undefined &&
      written.tailBytes >= Math.max(tailBytesMin, written.snapshotBytes)
    ) {
      const body = JSON.stringify(boundary)
      putSnapshot.run(key, boundary.seq, body)
      written.tailBytes = 0
      written.snapshotBytes = body.length
    }
    if (state.status !== written.status) {
      updateStatus.run(state.status, key)
      written.status = state.status
    }
    summaries.keep(key, state)
    nameContent(key, unit.blobs, unit.trees)
    if (state.outcome !== undefined) {
      last.delete(key)
      closeDecisions.run(state.seq, key)
    }
  }

  return {
    write,
    forget(key) {
      last.delete(key)
      summaries.forget(key)
    },
  }
}

/** Updates the data about iterations: checkpoints, attempts, and which questions are answered. */
function createIterationKeeper(
  database: Database,
): (key: number, seq: number, event: RunEvent) => void {
  const insertCheckpoint = database.prepare(
    'INSERT INTO checkpoints (run, iteration, seq) VALUES (?, ?, ?) ' +
      'ON CONFLICT (run, iteration) DO UPDATE SET seq = excluded.seq',
  )
  const forgetCheckpoints = database.prepare(
    'DELETE FROM checkpoints WHERE run = ? AND iteration > ?',
  )
  // A question that is asked again needs a new answer.
  const reopenQuestions = database.prepare(
    'UPDATE decisions SET question = NULL WHERE run = ? AND applied_seq IS NOT NULL ' +
      'AND CAST(question AS INTEGER) >= ?',
  )
  const insertTried = database.prepare(
    'INSERT INTO tried (fingerprint, run, seq, iteration) VALUES (?, ?, ?, ?)',
  )
  return (key, seq, event) => {
    if (event.type === 'step-finished' && event.fingerprint !== undefined) {
      insertTried.run(event.fingerprint, key, seq, event.iteration)
    }
    if (endsIteration(event)) insertCheckpoint.run(key, event.iteration, seq)
    if (event.type === 'iteration-restarted') reopenQuestions.run(key, event.iteration)
    if (event.type !== 'run-rewound') return
    forgetCheckpoints.run(key, event.toIteration)
    reopenQuestions.run(key, event.toIteration + 1)
  }
}

export type ContentNames = (key: number, blobs: readonly BlobId[], trees: readonly TreeId[]) => void

export function createContentNames(database: Database): ContentNames {
  const insert = database.prepare(
    'INSERT OR IGNORE INTO named_content (hash, is_tree, run) VALUES (?, ?, ?)',
  )
  return (key, blobs, trees) => {
    for (const blob of blobs) insert.run(blob, 0, key)
    for (const tree of trees) insert.run(tree, 1, key)
  }
}
