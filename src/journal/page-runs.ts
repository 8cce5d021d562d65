/** Lists of runs, newest first, in pages. Keys of runs only grow, so the next page starts below the last key. */

import type { RunPage, RunPageOptions } from '../engine/index.ts'
import type { Database, SqlValue } from './database.ts'
import type { JoinedLease } from './leases.ts'
import { type RunColumns, runColumns, toRunRow } from './rows.ts'

export const defaultLimit = 100

export function pageRuns(
  database: Database,
  options: RunPageOptions,
  isHeld: (lease: JoinedLease) => boolean,
): RunPage {
  const limit = options.limit ?? defaultLimit
  const { sql, values } = conditionsOf(options)
  const rows = database
    .prepare(`SELECT ${runColumns} ${sql} ORDER BY runs.key DESC LIMIT ?`)
    .all(...values, limit + 1) as RunColumns[]
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    runs: page.map((row) => toRunRow(row, isHeld(row))),
    ...(rows.length > limit && last !== undefined ? { next: last.key } : {}),
  }
}

/** The number of runs by status. */
export function countRuns(database: Database): Readonly<Record<string, number>> {
  const rows = database.prepare('SELECT status, count(*) AS runs FROM runs GROUP BY status').all()
  return Object.fromEntries(
    (rows as { status: string; runs: number }[]).map(({ status, runs }) => [status, runs]),
  )
}

export function conditionsOf(options: RunPageOptions): {
  sql: string
  values: readonly SqlValue[]
} {
  const { status, workspace, loop, name, createdAfterMs, createdBeforeMs, before } = options
  const conditions: [string, readonly SqlValue[]][] = []
  if (before !== undefined) conditions.push(['runs.key < ?', [before]])
  if (status !== undefined) {
    conditions.push([`runs.status IN (SELECT value FROM json_each(?))`, [JSON.stringify(status)]])
  }
  if (workspace !== undefined) {
    conditions.push(['(runs.workspace = ? OR runs.repository = ?)', [workspace, workspace]])
  }
  if (loop !== undefined) conditions.push(['runs.loop = ?', [loop]])
  if (name !== undefined && name !== '') {
    conditions.push(['runs.name >= ? AND runs.name < ?', [name, `${name}\u{10ffff}`]])
  }
  if (createdAfterMs !== undefined) conditions.push(['runs.created_at > ?', [createdAfterMs]])
  if (createdBeforeMs !== undefined) conditions.push(['runs.created_at < ?', [createdBeforeMs]])
  const texts = conditions.map(([text]) => text)
  return {
    sql: texts.length === 0 ? '' : `WHERE ${texts.join(' AND ')}`,
    values: conditions.flatMap(([, given]) => given),
  }
}
