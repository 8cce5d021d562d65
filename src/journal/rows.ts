/** Parses rows of the tables. */

import type { EventText, RunRow } from '../engine/index.ts'
import type { RecordedEvent, RunId, RunStatus } from '../loop/index.ts'
import { decodeEvent, eventText, eventTypeOf } from './event-code.ts'
import { damaged } from './store-failures.ts'

export interface RunColumns {
  readonly key: number
  readonly id: string
  readonly name: string
  readonly loop: string
  readonly status: string
  readonly iteration: number
  readonly workspace: string | null
  readonly repository: string | null
  readonly created_at: number
  readonly updated_at: number
  readonly last_seq: number
  readonly owner: string | null
  readonly expires_at: number | null
  readonly expires_up: number | null
}

export const runColumns = `
  runs.key, runs.id, runs.name, runs.loop, runs.status, runs.workspace, runs.repository,
  runs.created_at,
  leases.owner, leases.expires_at, leases.expires_up,
  coalesce((SELECT max(iteration) FROM checkpoints WHERE run = runs.key), runs.first_iteration)
    AS iteration,
  (SELECT max(seq) FROM events WHERE run = runs.key) AS last_seq,
  (SELECT at FROM events WHERE run = runs.key ORDER BY seq DESC LIMIT 1) AS updated_at
  FROM runs LEFT JOIN leases ON leases.run = runs.key`

export function toRunRow(row: RunColumns, held: boolean): RunRow {
  return {
    id: row.id as RunId,
    name: row.name,
    loop: row.loop,
    status: row.status as RunStatus,
    iteration: row.iteration,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    lastSeq: row.last_seq,
    held,
    interrupted: !held && (row.status === 'running' || row.status === 'waiting'),
    ...(row.workspace === null ? {} : { workspace: row.workspace }),
    ...(row.repository === null ? {} : { repository: row.repository }),
  }
}

export interface EventColumns {
  readonly id: string
  readonly position: number
  readonly seq: number
  readonly at: number
  readonly type: number
  readonly body: string
}

export function toRecordedEvent(row: EventColumns, path: string): RecordedEvent {
  return {
    run: row.id as RunId,
    seq: row.seq,
    position: row.position,
    atMs: row.at,
    event: guarded(() => decodeEvent(row.type, row.body), path),
  }
}

export function toEventText({ id, seq, position, at, type, body }: EventColumns): EventText {
  const event = eventText(type, body)
  const json = `{"run":"${id}","seq":${seq},"position":${position},"atMs":${at},"event":${event}}`
  return { seq, position, type: eventTypeOf(type), json }
}

export const parseBody = (body: string, path: string): unknown =>
  guarded(() => JSON.parse(body) as unknown, path)

function guarded<T>(parse: () => T, path: string): T {
  try {
    return parse()
  } catch (cause) {
    throw damaged(path, 'a row has unexpected content', cause)
  }
}
