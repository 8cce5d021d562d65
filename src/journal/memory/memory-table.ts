/**
 * The facts that loops remember, and their full-text index. Triggers keep the index in step (see `migrations.ts`).
 *
 * Statements are prepared when they are used: if these tables are damaged, everything else still works.
 */

import {
  findMemoryProblem,
  type Memory,
  type MemoryFilter,
  type MemoryLimits,
  type MemoryScope,
  memorySize,
  type NewMemory,
  searchWords,
  storeErrors,
} from '../../engine/index.ts'
import { defined } from '../../loop/index.ts'
import { readStoredJson } from '../damage/stored-json.ts'
import type { Database, SqlValue } from '../database.ts'

/** All methods that change something run inside a transaction of the caller. */
export interface MemoryTable {
  add(memory: NewMemory, limits: MemoryLimits): Memory
  newest(scope: MemoryScope, limit: number): readonly Memory[]
  relevant(scope: MemoryScope, text: string, limit: number): readonly Memory[]
  get(id: string): Memory | undefined
  list(filter: MemoryFilter): readonly Memory[]
  forget(ids: readonly string[]): number
}

interface MemoryRow {
  readonly id: number
  readonly loop: string
  readonly repository: string
  readonly key: string
  readonly text: string
  readonly tags: string
  readonly source: string
  readonly at: number
  readonly expires_at: number | null
}

const columns =
  'SELECT memories.id, memories.loop, repository, key, memories.text, memories.tags, source, at, ' +
  'expires_at FROM memories'
const isAlive = '(expires_at IS NULL OR expires_at > ?)'
const ofScope = 'memories.loop = ? AND repository = ?'

export function createMemoryTable(database: Database, now: () => number): MemoryTable {
  const read = (sql: string, ...values: SqlValue[]): readonly Memory[] =>
    (database.prepare(sql).all(...values) as MemoryRow[]).map(toMemory)
  return {
    add: (memory, limits) => add(database, now(), memory, limits),
    newest: (scope, limit) =>
      read(
        `${columns} WHERE ${ofScope} AND ${isAlive} ORDER BY memories.id DESC LIMIT ?`,
        ...valuesOf(scope),
        now(),
        limit,
      ),
    relevant(scope, text, limit) {
      const words = searchWords(text)
      if (words.length === 0) return []
      return read(
        `${columns} JOIN memory_words ON memory_words.rowid = memories.id ` +
          `WHERE memory_words MATCH ? AND ${ofScope} AND ${isAlive} ` +
          'ORDER BY bm25(memory_words), memories.id DESC LIMIT ?',
        toMatch(words),
        ...valuesOf(scope),
        now(),
        limit,
      )
    },
    get: (id) => read(`${columns} WHERE memories.id = ? AND ${isAlive}`, toNumber(id), now()).at(0),
    list: (filter) => list(read, now(), filter),
    forget(ids) {
      const remove = database.prepare('DELETE FROM memories WHERE id = ?')
      return ids.reduce((sum, id) => sum + Number(remove.run(toNumber(id)).changes), 0)
    },
  }
}

function add(database: Database, nowMs: number, memory: NewMemory, limits: MemoryLimits): Memory {
  const problem = findMemoryProblem(memory, limits)
  if (problem !== undefined) throw storeErrors.memoryTooLarge(problem)
  const scope = valuesOf(memory)
  const { key, text, tags, source, atMs, expiresAtMs } = memory
  const select = database.prepare(`${columns} WHERE ${ofScope} AND key = ?`)
  database.prepare(`DELETE FROM memories WHERE ${ofScope} AND expires_at <= ?`).run(...scope, nowMs)
  database
    .prepare(
      'INSERT OR IGNORE INTO memories (loop, repository, key, text, tags, source, at, expires_at, bytes) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(
      ...scope,
      key,
      text,
      JSON.stringify(tags),
      source,
      atMs,
      expiresAtMs ?? null,
      memorySize(memory),
    )
  const stored = toMemory(select.get(...scope, key) as MemoryRow)
  // What is beyond the limits, counted from the newest one.
  database
    .prepare(
      'DELETE FROM memories WHERE id IN (SELECT id FROM (SELECT id, ' +
        'row_number() OVER newest_first AS place, sum(bytes) OVER newest_first AS total ' +
        `FROM memories WHERE ${ofScope} WINDOW newest_first AS (ORDER BY id DESC)) ` +
        'WHERE place > ? OR total > ?)',
    )
    .run(...scope, limits.count, limits.bytes)
  return stored
}

function list(
  read: (sql: string, ...values: SqlValue[]) => readonly Memory[],
  nowMs: number,
  { loop, repository, words, limit, before }: MemoryFilter,
): readonly Memory[] {
  const wanted = words === undefined ? undefined : searchWords(words)
  if (wanted?.length === 0) return []
  const parts: readonly (readonly [string, SqlValue | undefined])[] = [
    ['memories.loop = ?', loop],
    ['repository = ?', repository],
    ['memories.id < ?', before === undefined ? undefined : toNumber(before)],
    [
      'memories.id IN (SELECT rowid FROM memory_words WHERE memory_words MATCH ?)',
      wanted && toMatch(wanted),
    ],
  ]
  const used = parts.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]))
  const where = [isAlive, ...used.map(({ sql }) => sql)].join(' AND ')
  return read(
    `${columns} WHERE ${where} ORDER BY memories.id DESC LIMIT ?`,
    nowMs,
    ...used.map(({ value }) => value),
    limit,
  )
}

const valuesOf = ({ loop, repository = '' }: MemoryScope): [string, string] => [loop, repository]

/** Each word is quoted, so that nothing in it is an operator. */
const toMatch = (words: readonly string[]): string =>
  words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ')

/** 0: there is no fact with this id. */
const toNumber = (id: string): number => (/^m[1-9]\d{0,14}$/.test(id) ? Number(id.slice(1)) : 0)

/** None, if the row is damaged. */
function readTags(text: string): readonly string[] {
  const tags = readStoredJson(text)
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
}

const toMemory = (row: MemoryRow): Memory => ({
  id: `m${row.id}`,
  loop: row.loop,
  ...(row.repository === '' ? {} : { repository: row.repository }),
  key: row.key,
  text: row.text,
  tags: readTags(row.tags),
  source: row.source,
  atMs: row.at,
  ...defined({ expiresAtMs: row.expires_at ?? undefined }),
})
