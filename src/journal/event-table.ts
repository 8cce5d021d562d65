/** Reads events, the newest snapshot and checkpoints. The unit writer writes them. */

import type { Checkpoint, EventRange, EventText, PastAttempt, StoreRange } from '../engine/index.ts'
import type { EventType, RecordedEvent, RunId, StoredState } from '../loop/index.ts'
import type { Database, SqlValue } from './database.ts'
import { eventCode } from './event-code.ts'
import { type EventColumns, parseBody, toEventText, toRecordedEvent } from './rows.ts'

export interface EventTable {
  snapshot(run: RunId): StoredState | undefined
  read(run: RunId, range: EventRange): readonly RecordedEvent[]
  readTexts(run: RunId, range: EventRange): readonly EventText[]
  readStore(range: StoreRange): readonly RecordedEvent[]
  readStoreTexts(range: StoreRange): readonly EventText[]
  /** The results of checks. */
  readEvidence(run: RunId, afterSeq: number, limit: number): readonly RecordedEvent[]
  /** The seq of the last end of an iteration up to an event; 0: there is none. */
  boundaryBefore(run: RunId, seq: number): number
  checkpoints(run: RunId): readonly Checkpoint[]
  tried(fingerprint: string): readonly PastAttempt[]
}

const readLimit = 10_000

const eventColumns = 'position, seq, at, type, body, ?1 AS id FROM events'

const inRange = 'WHERE run = ?2 AND seq > ?3 AND seq <= ?4 ORDER BY seq LIMIT ?5'

/** Must equal the condition of the index of rare events, or SQLite does not use that index. */
const isRare = 'type NOT IN (7, 8, 11, 12, 17)'

const frequent = new Set<EventType>([
  'step-started',
  'step-finished',
  'step-noted',
  'budget-reserved',
  'budget-settled',
])

function selectSomeSql(types: readonly EventType[] | undefined): string {
  const ofTypes = 'type IN (SELECT value FROM json_each(?6))'
  const kind =
    types === undefined
      ? '?6 IS NULL'
      : types.some((type) => frequent.has(type))
        ? ofTypes
        : `${isRare} AND ${ofTypes}`
  return (
    'SELECT position, seq, at, type, body, id FROM (SELECT *, sum(length(body)) OVER ' +
    `(ORDER BY seq ROWS UNBOUNDED PRECEDING) AS total FROM (SELECT ${eventColumns} ` +
    `WHERE run = ?2 AND seq > ?3 AND seq <= ?4 AND ${kind} ORDER BY seq LIMIT ?5)) ` +
    'WHERE total - length(body) < ?7 ORDER BY seq'
  )
}

const selectEvidenceSql =
  `SELECT ${eventColumns} WHERE run = ?2 AND seq > ?3 AND type = 8 ` +
  `AND instr(body, '"evidence":{"') > 0 ORDER BY seq LIMIT ?4`

const selectStoreSql =
  'SELECT position, seq, at, type, body, id FROM (SELECT *, sum(length(body)) OVER (ORDER BY ' +
  'position ROWS UNBOUNDED PRECEDING) AS total FROM (SELECT runs.id, position, seq, at, type, body ' +
  'FROM events JOIN runs ON runs.key = events.run WHERE position > ?1 ORDER BY position LIMIT ?2)) ' +
  'WHERE total - length(body) < ?3 ORDER BY position'

const codesOf = (types: readonly EventType[] | undefined): SqlValue =>
  types === undefined ? null : JSON.stringify(types.map(eventCode))

export function createEventTable(
  database: Database,
  path: string,
  key: (run: RunId) => number,
): EventTable {
  const selectEvents = database.prepare(`SELECT ${eventColumns} ${inRange}`)

  function rowsOf(run: RunId, range: EventRange): readonly EventColumns[] {
    const { afterSeq = 0, toSeq = Number.MAX_SAFE_INTEGER, limit = readLimit } = range
    const { types, bytesMax } = range
    const given = [run, key(run), afterSeq, toSeq, limit]
    const rows =
      types === undefined && bytesMax === undefined
        ? selectEvents.all(...given)
        : database
            .prepare(selectSomeSql(types))
            .all(...given, codesOf(types), bytesMax ?? Number.MAX_SAFE_INTEGER)
    return rows as EventColumns[]
  }

  const storeRows = ({ afterPosition, limit, bytesMax }: StoreRange): readonly EventColumns[] =>
    database
      .prepare(selectStoreSql)
      .all(afterPosition, limit, bytesMax ?? Number.MAX_SAFE_INTEGER) as EventColumns[]

  return {
    snapshot(run) {
      const row = database.prepare('SELECT body FROM snapshots WHERE run = ?').get(key(run))
      if (row === undefined) return undefined
      return parseBody((row as { body: string }).body, path) as StoredState
    },
    read: (run, range) => rowsOf(run, range).map((row) => toRecordedEvent(row, path)),
    readTexts: (run, range) => rowsOf(run, range).map(toEventText),
    readStore: (range) => storeRows(range).map((row) => toRecordedEvent(row, path)),
    readStoreTexts: (range) => storeRows(range).map(toEventText),
    readEvidence(run, afterSeq, limit) {
      const rows = database.prepare(selectEvidenceSql).all(run, key(run), afterSeq, limit)
      return (rows as EventColumns[]).map((row) => toRecordedEvent(row, path))
    },
    boundaryBefore(run, seq) {
      const row = database
        .prepare('SELECT max(seq) AS last FROM checkpoints WHERE run = ? AND seq <= ?')
        .get(key(run), seq)
      return (row as { last: number | null }).last ?? 0
    },
    tried: (fingerprint) =>
      database
        .prepare(
          'SELECT runs.id AS run, tried.iteration, tried.seq FROM tried ' +
            'JOIN runs ON runs.key = tried.run WHERE tried.fingerprint = ? ' +
            'ORDER BY tried.run DESC, tried.seq DESC LIMIT 50',
        )
        .all(fingerprint) as unknown as PastAttempt[],
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
