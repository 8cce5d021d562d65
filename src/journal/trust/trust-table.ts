/** The levels that loops were given and lost. All changes run inside a transaction of the caller. */

import {
  firstLevel,
  type LevelCause,
  type LevelChange,
  type LevelFilter,
  type LevelScope,
  lowered,
  type NewLevelChange,
} from '../../engine/index.ts'
import type { Level } from '../../loop/index.ts'
import { readStoredJson } from '../damage/stored-json.ts'
import type { Database, SqlValue } from '../database.ts'

export interface TrustTable {
  record(change: NewLevelChange): LevelChange | undefined
  current(scope: LevelScope): LevelChange | undefined
  changes(filter: LevelFilter): readonly LevelChange[]
}

interface Row {
  readonly id: number
  readonly loop: string
  readonly repository: string
  readonly kind: string
  readonly key: string
  readonly cause: LevelCause
  readonly level: number
  readonly from_level: number
  readonly by: string
  readonly reason: string
  readonly details: string | null
  readonly at: number
}

const ofScope = 'loop = ? AND repository = ? AND kind = ?'

export function createTrustTable(database: Database): TrustTable {
  const read = (sql: string, ...values: SqlValue[]): readonly LevelChange[] =>
    (database.prepare(`SELECT * FROM level_changes ${sql}`).all(...values) as Row[]).map(toChange)
  const current = (scope: LevelScope): LevelChange | undefined =>
    read(`WHERE ${ofScope} ORDER BY id DESC LIMIT 1`, ...valuesOf(scope)).at(0)
  return {
    current,
    record(change) {
      const known = read(`WHERE ${ofScope} AND key = ?`, ...valuesOf(change), change.key).at(0)
      if (known !== undefined) return known
      const last = current(change)
      if (change.after !== undefined && change.after !== (last?.id ?? 0)) return undefined
      const from = last?.level ?? change.starting ?? firstLevel
      const { key, cause, by, reason, details, atMs } = change
      const level = change.level === 'lower' ? lowered(from) : (change.level ?? from)
      database
        .prepare(
          'INSERT INTO level_changes (loop, repository, kind, key, cause, level, from_level, by, reason, ' +
            'details, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        )
        .run(
          ...valuesOf(change),
          key,
          cause,
          level,
          from,
          by,
          reason,
          details === undefined ? null : JSON.stringify(details),
          atMs,
        )
      return current(change)
    },
    changes({ loop, repository, kind, causes = [], limit, before }) {
      const parts: readonly (readonly [string, SqlValue | undefined])[] = [
        ['loop = ?', loop],
        ['repository = ?', repository],
        ['kind = ?', kind],
        ['id < ?', before],
      ]
      const used = parts.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]))
      const wanted = used.map(({ sql }) => sql)
      if (causes.length > 0) wanted.push(`cause IN (${causes.map(() => '?').join(', ')})`)
      const where = wanted.length === 0 ? '' : `WHERE ${wanted.join(' AND ')} `
      const values = [...used.map(({ value }) => value), ...causes]
      return read(`${where}ORDER BY id DESC LIMIT ?`, ...values, limit)
    },
  }
}

const valuesOf = ({ loop, repository = '', kind }: LevelScope): [string, string, string] => [
  loop,
  repository,
  kind,
]

/** A damaged row never gives more than the lowest level. */
const readLevel = (stored: number): Level => (stored === 2 || stored === 3 ? stored : firstLevel)

const toChange = (row: Row): LevelChange => ({
  id: row.id,
  loop: row.loop,
  ...(row.repository === '' ? {} : { repository: row.repository }),
  kind: row.kind,
  key: row.key,
  cause: row.cause,
  level: readLevel(row.level),
  from: readLevel(row.from_level),
  by: row.by,
  reason: row.reason,
  ...(row.details === null ? {} : { details: readStoredJson(row.details) }),
  atMs: row.at,
})
