/** The newest position of the whole store, for readers that follow it. */

import type { ChangedRuns } from '../engine/index.ts'
import type { RunId } from '../loop/index.ts'
import type { Database } from './database.ts'

export function lastPosition(database: Database): number {
  const row = database.prepare('SELECT max(position) AS last FROM events').get()
  return (row as { last: number | null }).last ?? 0
}

/** Which runs have events after a position, without reading any. */
export function changedRuns(database: Database, afterPosition: number): ChangedRuns {
  const rows = database
    .prepare(
      'SELECT runs.id, max(position) AS last FROM events JOIN runs ON runs.key = events.run ' +
        'WHERE position > ? GROUP BY events.run',
    )
    .all(afterPosition) as { id: RunId; last: number }[]
  const position = rows.reduce((last, row) => Math.max(last, row.last), afterPosition)
  return { position, runs: rows.map(({ id }) => id) }
}
