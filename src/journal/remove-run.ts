/**
 * Removes a run permanently, inside the transaction of the caller. Content that other runs reference
 * stays: each run has its own rows in `named_content`.
 *
 * M1. A run that a process drives is refused; the lease is checked inside the transaction, where no
 *     process can acquire it.
 * M2. Keys of runs and positions of events are never reused: another process may still have the key in
 *     memory, and readers of the store remember a position. SQLite assigns the highest number plus one,
 *     so the highest removed ones are stored in `removed`, and new ones are above both. (AUTOINCREMENT
 *     would require copying all events, and writing one more page in each commit.)
 */

import { type RemoveOptions, storeErrors } from '../engine/index.ts'
import { isEnd, type RunId, type RunStatus } from '../loop/index.ts'
import type { Database } from './database.ts'

export interface Removal {
  remove(key: number, options: RemoveOptions): void
}

/** SQL: a number above all existing and all removed ones. */
export const nextRunKey =
  'max(coalesce((SELECT max(key) FROM runs), 0), (SELECT run FROM removed)) + 1'
export const nextPosition =
  'max(coalesce((SELECT max(position) FROM events), 0), (SELECT position FROM removed)) + 1'

const rememberSql =
  'UPDATE removed SET run = max(run, ?1), position = max(position, coalesce(' +
  '(SELECT position FROM events WHERE run = ?1 ORDER BY seq DESC LIMIT 1), 0))'

const tables = [
  'facts',
  'queue',
  'merges',
  'requests',
  'tried',
  'questions',
  'snapshots',
  'summaries',
  'checkpoints',
  'decisions',
  'leases',
  'named_content',
  'events',
]

export function createRemoval(
  database: Database,
  requireFree: (key: number, run: RunId) => void,
): Removal {
  return {
    remove(key, { force = false }) {
      const row = database.prepare('SELECT id, name, status FROM runs WHERE key = ?').get(key)
      const { id, name, status } = row as { id: RunId; name: string; status: RunStatus }
      requireFree(key, id)
      if (!force && !isEnd(status)) throw storeErrors.notEnded(name, status)
      database.prepare(rememberSql).run(key)
      for (const table of tables) database.prepare(`DELETE FROM ${table} WHERE run = ?`).run(key)
      database.prepare('DELETE FROM runs WHERE key = ?').run(key)
    },
  }
}

/** Whether a run was ever removed here. */
export function hasRemoved(database: Database): boolean {
  const row = database.prepare('SELECT run FROM removed').get() as { run: number }
  return row.run > 0
}
