/** Runs and their events: finding, listing and reading. Writing happens in units. */

import type { Checkpoint, NewRun, RunRow } from '../engine/index.ts'
import { LoopError, type RecordedEvent, type RunId, type RunState } from '../loop/index.ts'
import { type Database, orNull } from './database.ts'
import { isHeld } from './leases.ts'
import {
  type EventColumns,
  parseBody,
  type RunColumns,
  runColumns,
  toRecordedEvent,
  toRunRow,
} from './rows.ts'
import { createContentNames, insertEventSql } from './unit-writer.ts'

export interface RunTable {
  key(run: RunId): number
  insert(run: NewRun): void
  find(idOrName: string, nowMs: number): RunRow
  list(status: string | undefined, limit: number, nowMs: number): readonly RunRow[]
  snapshot(run: RunId): RunState | undefined
  read(
    run: RunId,
    afterSeq: number,
    toSeq: number | undefined,
    limit: number,
  ): readonly RecordedEvent[]
  readStore(afterPosition: number, limit: number): readonly RecordedEvent[]
  checkpoints(run: RunId): readonly Checkpoint[]
}

export function createRunTable(database: Database, path: string): RunTable {
  const keys = new Map<string, number>()
  const selectKey = database.prepare('SELECT key FROM runs WHERE id = ?')
  const insertRun = database.prepare(
    'INSERT INTO runs (id, name, loop, status, first_iteration, workspace, created_at) ' +
      "VALUES (?, ?, ?, 'pending', ?, ?, ?)",
  )
  const selectEvents = database.prepare(
    'SELECT position, seq, at, body, ? AS id FROM events WHERE run = ? AND seq > ? AND seq <= ? ' +
      'ORDER BY seq LIMIT ?',
  )
  const insertEvent = database.prepare(insertEventSql)
  const nameContent = createContentNames(database)

  function key(run: RunId): number {
    const known = keys.get(run)
    if (known !== undefined) return known
    const row = selectKey.get(run) as { key: number } | undefined
    if (row === undefined) throw unknownRun(run)
    keys.set(run, row.key)
    return row.key
  }

  function toRow(columns: unknown, nowMs: number): RunRow {
    const row = columns as RunColumns
    return toRunRow(row, isHeld(row, nowMs))
  }

  return {
    key,
    insert(run: NewRun): void {
      try {
        const first = run.event.type === 'run-created' ? (run.event.iteration ?? 0) : 0
        insertRun.run(run.id, run.name, run.loop, first, orNull(run.workspace), run.atMs)
      } catch (cause) {
        if (!/UNIQUE/.test(String(cause))) throw cause
        throw new LoopError('name-taken', `There is a run named "${run.name}" already.`, { cause })
      }
      const row = selectKey.get(run.id) as { key: number }
      insertEvent.run(row.key, 1, run.atMs, JSON.stringify(run.event))
      nameContent(row.key, run.blobs, run.trees)
    },
    find(idOrName: string, nowMs: number): RunRow {
      const found = database
        .prepare(`SELECT ${runColumns} WHERE runs.id = ?1 OR runs.name = ?1`)
        .get(idOrName)
      if (found !== undefined) return toRow(found, nowMs)
      const prefix = `${idOrName.replaceAll(/[%_\\]/g, '\\$&')}%`
      const rows = database
        .prepare(
          `SELECT ${runColumns} WHERE runs.id LIKE ?1 ESCAPE '\\' OR runs.name LIKE ?1 ESCAPE '\\' LIMIT 6`,
        )
        .all(prefix)
      const [only] = rows
      if (only === undefined || idOrName === '') throw unknownRun(idOrName)
      if (rows.length === 1) return toRow(only, nowMs)
      const names = rows.map((row) => toRow(row, nowMs)).map((row) => `${row.name} (${row.id})`)
      throw new LoopError(
        'ambiguous-run',
        `"${idOrName}" fits ${names.join(', ')}. Say more of it.`,
      )
    },
    list(status: string | undefined, limit: number, nowMs: number): readonly RunRow[] {
      const rows =
        status === undefined
          ? database.prepare(`SELECT ${runColumns} ORDER BY runs.key DESC LIMIT ?`).all(limit)
          : database
              .prepare(`SELECT ${runColumns} WHERE runs.status = ? ORDER BY runs.key DESC LIMIT ?`)
              .all(status, limit)
      return rows.map((row) => toRow(row, nowMs))
    },
    snapshot(run: RunId): RunState | undefined {
      const row = database.prepare('SELECT body FROM snapshots WHERE run = ?').get(key(run))
      if (row === undefined) return undefined
      return parseBody((row as { body: string }).body, path) as unknown as RunState
    },
    read(run: RunId, afterSeq: number, toSeq: number | undefined, limit: number) {
      const last = toSeq ?? Number.MAX_SAFE_INTEGER
      const rows = selectEvents.all(run, key(run), afterSeq, last, limit) as EventColumns[]
      return rows.map((row) => toRecordedEvent(row, path))
    },
    readStore(afterPosition: number, limit: number) {
      const rows = database
        .prepare(
          'SELECT runs.id, position, seq, at, body FROM events JOIN runs ON runs.key = events.run ' +
            'WHERE position > ? ORDER BY position LIMIT ?',
        )
        .all(afterPosition, limit) as EventColumns[]
      return rows.map((row) => toRecordedEvent(row, path))
    },
    checkpoints(run: RunId) {
      const rows = database
        .prepare(
          'SELECT checkpoints.iteration, checkpoints.seq, events.at FROM checkpoints ' +
            'JOIN events ON events.run = checkpoints.run AND events.seq = checkpoints.seq ' +
            'WHERE checkpoints.run = ? ORDER BY checkpoints.iteration',
        )
        .all(key(run)) as { iteration: number; seq: number; at: number }[]
      return rows.map((row) => ({ iteration: row.iteration, seq: row.seq, atMs: row.at }))
    },
  }
}

const unknownRun = (run: string): LoopError =>
  new LoopError('unknown-run', `There is no run "${run}". List the runs to see their names.`)
