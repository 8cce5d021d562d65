/**
 * Creates, finds and lists runs.
 *
 * Any process may remove a run, so its key is looked up each time. Only the holder of a lease may cache
 * it: the lease is verified in each transaction, and no key is reused (M2).
 */

import { dirname } from 'node:path'
import { type NewRun, type RunMaker, type RunRow, storeErrors } from '../engine/index.ts'
import { evolve, initialState, type RunEvent, type RunId } from '../loop/index.ts'
import { type Database, orNull } from './database.ts'
import { encodeEvent } from './event-code.ts'
import type { JoinedLease } from './leases.ts'
import { nextRunKey } from './remove-run.ts'
import { type RunColumns, runColumns, toRunRow } from './rows.ts'
import { createSummaryKeeper } from './summaries/summary-table.ts'
import { createContentNames, insertEventSql } from './unit-writer.ts'

export interface RunTable {
  /** Throws `unknown-run`. */
  key(run: RunId): number
  /** As `key`, but cached: for callers whose lease is verified next. */
  heldKey(run: RunId): number
  forget(run: RunId): void
  insert(run: NewRun): void
  find(idOrName: string): RunRow
  list(status: string | undefined, limit: number): readonly RunRow[]
  makerOfGit(folder: string): RunMaker | undefined
}

export function createRunTable(
  database: Database,
  isHeld: (lease: JoinedLease) => boolean,
): RunTable {
  const keys = new Map<string, number>()
  const selectKey = database.prepare('SELECT key FROM runs WHERE id = ?')
  const insertRun = database.prepare(
    'INSERT INTO runs (key, id, name, loop, status, first_iteration, workspace, repository, ' +
      `created_at) VALUES (${nextRunKey}, ?, ?, ?, 'pending', ?, ?, ?, ?)`,
  )
  const insertEvent = database.prepare(insertEventSql)
  const nameContent = createContentNames(database)
  const summaries = createSummaryKeeper(database)

  function key(run: RunId): number {
    const row = selectKey.get(run) as { key: number } | undefined
    if (row === undefined) throw storeErrors.unknownRun(run)
    return row.key
  }

  function toRow(columns: unknown): RunRow {
    const row = columns as RunColumns
    return toRunRow(row, isHeld(row))
  }

  return {
    key,
    heldKey(run) {
      const known = keys.get(run) ?? key(run)
      keys.set(run, known)
      return known
    },
    forget(run) {
      keys.delete(run)
    },
    insert(run: NewRun): void {
      requireOrigin(run, key)
      try {
        const { id, name, loop, event, atMs } = run
        const first = event.type === 'run-created' ? (event.iteration ?? 0) : 0
        const folders = [orNull(run.workspace), orNull(checkoutOf(event))]
        insertRun.run(id, name, loop, first, ...folders, atMs)
      } catch (cause) {
        if (!/UNIQUE/.test(String(cause))) throw cause
        throw storeErrors.nameTaken(run.name, cause)
      }
      const row = selectKey.get(run.id) as { key: number }
      const { code, body } = encodeEvent(run.event)
      insertEvent.run(row.key, 1, run.atMs, code, body)
      nameContent(row.key, run.blobs, run.trees)
      summaries.keep(row.key, evolve(initialState, { seq: 1, atMs: run.atMs, event: run.event }))
      summaries.forget(row.key)
    },
    find: (idOrName) => toRow(findColumns(database, idOrName)),
    makerOfGit: (folder) =>
      database.prepare(makerSql).get(folder, JSON.stringify(foldersAbove(folder))) as
        | RunMaker
        | undefined,
    list(status: string | undefined, limit: number): readonly RunRow[] {
      const rows =
        status === undefined
          ? database.prepare(`SELECT ${runColumns} ORDER BY runs.key DESC LIMIT ?`).all(limit)
          : database
              .prepare(`SELECT ${runColumns} WHERE runs.status = ? ORDER BY runs.key DESC LIMIT ?`)
              .all(status, limit)
      return rows.map(toRow)
    },
  }
}

/** The folder of the repository that a worktree belongs to. */
function checkoutOf(event: RunEvent): string | undefined {
  const repository = event.type === 'run-created' ? event.worktree?.repository : undefined
  return repository?.replace(/\/\.git$/, '')
}

/** Reads only the first event of runs with exactly this workspace. */
const makerSql = `
  SELECT runs.name, runs.workspace FROM runs JOIN events ON events.run = runs.key AND events.seq = 1
  WHERE runs.workspace IN (SELECT value FROM json_each(?2))
    OR (runs.workspace = ?1 AND json_extract(events.body, '$.withoutGit') = 1)
  LIMIT 1`

function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder)
  return above === folder ? [] : [above, ...foldersAbove(above)]
}

/** Content that a fork reuses is safe from garbage collection only while its origin references it. */
function requireOrigin({ event }: NewRun, key: (run: RunId) => number): void {
  if (event.type === 'run-created' && event.origin?.type === 'fork') key(event.origin.run)
}

/** By id or name, otherwise by a unique prefix. */
function findColumns(database: Database, idOrName: string): unknown {
  const found = database
    .prepare(`SELECT ${runColumns} WHERE runs.id = ?1 OR runs.name = ?1`)
    .get(idOrName)
  if (found !== undefined) return found
  const prefix = `${idOrName.replaceAll(/[%_\\]/g, '\\$&')}%`
  const rows = database
    .prepare(
      `SELECT ${runColumns} WHERE runs.id LIKE ?1 ESCAPE '\\' OR runs.name LIKE ?1 ESCAPE '\\' LIMIT 6`,
    )
    .all(prefix) as RunColumns[]
  const [only] = rows
  if (only === undefined || idOrName === '') throw storeErrors.unknownRun(idOrName)
  if (rows.length === 1) return only
  throw storeErrors.ambiguousRun(idOrName, rows)
}
