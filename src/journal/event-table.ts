/** Reading what was recorded: events, the newest snapshot, checkpoints. Writing happens in units. */

import type { Checkpoint, Tried } from '../engine/index.ts'
import type { RecordedEvent, RunId, RunState } from '../loop/index.ts'
import type { Database } from './database.ts'
import { type EventColumns, parseBody, toRecordedEvent } from './rows.ts'

export interface EventTable {
  snapshot(run: RunId): RunState | undefined
  read(
    run: RunId,
    afterSeq: number,
    toSeq: number | undefined,
    limit: number,
  ): readonly RecordedEvent[]
  readStore(afterPosition: number, limit: number): readonly RecordedEvent[]
  checkpoints(run: RunId): readonly Checkpoint[]
  tried(fingerprint: string): readonly Tried[]
}

export function createEventTable(
  database: Database,
  path: string,
  key: (run: RunId) => number,
): EventTable {
  const selectEvents = database.prepare(
    'SELECT position, seq, at, type, body, ? AS id FROM events ' +
      'WHERE run = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
  )
  return {
    snapshot(run) {
      const row = database.prepare('SELECT body FROM snapshots WHERE run = ?').get(key(run))
      if (row === undefined) return undefined
      return parseBody((row as { body: string }).body, path) as RunState
    },
    read(run, afterSeq, toSeq, limit) {
      const last = toSeq ?? Number.MAX_SAFE_INTEGER
      const rows = selectEvents.all(run, key(run), afterSeq, last, limit) as EventColumns[]
      return rows.map((row) => toRecordedEvent(row, path))
    },
    readStore(afterPosition, limit) {
      const rows = database
        .prepare(
          'SELECT runs.id, position, seq, at, type, body FROM events JOIN runs ON runs.key = events.run ' +
            'WHERE position > ? ORDER BY position LIMIT ?',
        )
        .all(afterPosition, limit) as EventColumns[]
      return rows.map((row) => toRecordedEvent(row, path))
    },
    tried: (fingerprint) =>
      database
        .prepare(
          'SELECT runs.id AS run, tried.iteration, tried.seq FROM tried ' +
            'JOIN runs ON runs.key = tried.run WHERE tried.fingerprint = ? ' +
            'ORDER BY tried.run DESC, tried.seq DESC LIMIT 50',
        )
        .all(fingerprint) as unknown as Tried[],
    checkpoints(run) {
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
