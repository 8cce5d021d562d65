/**
 * The queue of runs in a separate table, and the keys of the requests that created them.
 *
 * Q1. A run, its row in the queue and the key of its request are written in one transaction: a killed
 *     process leaves all three or none, and a request that is sent again finds its run (E10).
 * Q2. Keys are kept for a day, and no more than the newest ten thousand (E9).
 */

import type { KnownRequest, NewQueueRow, QueueRow, RequestKey } from '../engine/index.ts'
import type { RunId, RunStatus } from '../loop/index.ts'
import { readStoredJson } from './damage/stored-json.ts'
import { type Database, orNull } from './database.ts'

export interface QueueTable {
  /** Adds the row of a run, or replaces it. */
  put(key: number, row: NewQueueRow): void
  remove(key: number): void
  row(key: number): QueueRow | undefined
  /** The oldest first. */
  list(): readonly QueueRow[]
  /** Queued runs that have neither ended nor been paused. */
  open(): readonly RunId[]
  remember(key: number, request: RequestKey, nowMs: number): void
  request(key: string, nowMs: number): KnownRequest | undefined
}

const requestsMax = 10_000
const requestMsMax = 24 * 60 * 60 * 1000

interface QueueColumns {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly place: string | null
  readonly priority: number
  readonly queued_at: number
  readonly by: string | null
  readonly workspace: string | null
  readonly request: string
  readonly retry_at: number | null
  readonly tries: number
  readonly why: string | null
}

export function createQueueTable(database: Database): QueueTable {
  const upsert = database.prepare(
    'INSERT OR REPLACE INTO queue (run, priority, queued_at, by, workspace, request, retry_at, ' +
      'tries, why) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const remove = database.prepare('DELETE FROM queue WHERE run = ?')
  const columns =
    'SELECT runs.id, runs.name, runs.status, runs.workspace AS place, queue.priority, queue.queued_at, queue.by, ' +
    'queue.workspace, queue.request, queue.retry_at, queue.tries, queue.why ' +
    'FROM queue JOIN runs ON runs.key = queue.run'
  const select = database.prepare(`${columns} ORDER BY queue.queued_at, queue.run`)
  const selectOne = database.prepare(`${columns} WHERE queue.run = ?`)
  const open = database.prepare(
    'SELECT runs.id FROM queue JOIN runs ON runs.key = queue.run ' +
      "WHERE runs.status IN ('pending', 'running', 'waiting', 'suspended')",
  )
  const insertRequest = database.prepare(
    'INSERT INTO requests (key, digest, run, at) VALUES (?, ?, ?, ?)',
  )
  const prune = database.prepare(
    'DELETE FROM requests WHERE at < ?1 OR key IN ' +
      '(SELECT key FROM requests ORDER BY at DESC LIMIT -1 OFFSET ?2)',
  )
  const selectRequest = database.prepare(
    'SELECT requests.key, requests.digest, runs.id AS run FROM requests ' +
      'JOIN runs ON runs.key = requests.run WHERE requests.key = ? AND requests.at >= ?',
  )
  return {
    put(key, row) {
      upsert.run(
        key,
        row.priority,
        row.queuedAtMs,
        orNull(row.by),
        orNull(row.workspace),
        JSON.stringify(row.request),
        row.retryAtMs ?? null,
        row.tries,
        orNull(row.why),
      )
    },
    remove(key) {
      remove.run(key)
    },
    row(key) {
      const found = selectOne.get(key) as QueueColumns | undefined
      return found === undefined ? undefined : toRow(found)
    },
    list: () => (select.all() as QueueColumns[]).map(toRow),
    open: () => (open.all() as { id: RunId }[]).map(({ id }) => id),
    remember(key, request, nowMs) {
      prune.run(nowMs - requestMsMax, requestsMax - 1)
      insertRequest.run(request.key, request.digest, key, nowMs)
    },
    request: (key, nowMs) =>
      selectRequest.get(key, nowMs - requestMsMax) as KnownRequest | undefined,
  }
}

const toRow = (row: QueueColumns): QueueRow => ({
  run: row.id as RunId,
  name: row.name,
  status: row.status as RunStatus,
  priority: row.priority,
  queuedAtMs: row.queued_at,
  request: readStoredJson(row.request),
  tries: row.tries,
  ...(row.place === null ? {} : { place: row.place }),
  ...(row.by === null ? {} : { by: row.by }),
  ...(row.workspace === null ? {} : { workspace: row.workspace }),
  ...(row.retry_at === null ? {} : { retryAtMs: row.retry_at }),
  ...(row.why === null ? {} : { why: row.why }),
})
