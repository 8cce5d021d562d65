/** The tables of schedules and their ticks. All methods that change something run inside a transaction of the caller. */

import {
  type NewScheduleRow,
  type ScheduleChange,
  type ScheduleRow,
  type ScheduleTickRow,
  schedulesMax,
  storeErrors,
  type TickRow,
  ticksKept,
} from '../engine/index.ts'
import type { Json } from '../loop/index.ts'
import { readStoredJson } from './damage/stored-json.ts'
import type { Database } from './database.ts'

export interface ScheduleTable {
  add(schedule: NewScheduleRow): ScheduleRow
  list(): readonly ScheduleRow[]
  find(idOrName: string): ScheduleRow
  remove(id: string): void
  update(id: string, change: ScheduleChange): ScheduleRow
  ticks(id: string, limit: number): readonly TickRow[]
  tick(id: string, tick: string): TickRow | undefined
  ticksSince(atMs: number): readonly ScheduleTickRow[]
  settings(): Json
  saveSettings(settings: Json): void
  changes(): number
}

interface ScheduleColumns {
  readonly id: string
  readonly name: string
  readonly created_at: number
  readonly revision: number
  readonly definition: string
  readonly state: string
}

interface TickColumns {
  readonly schedule: string
  readonly tick: string
  readonly at: number
  readonly body: string
}

const columns = 'SELECT id, name, created_at, revision, definition, state FROM schedules'
const tickColumns = 'SELECT schedule, tick, at, body FROM schedule_ticks'

export function createScheduleTable(database: Database): ScheduleTable {
  const all = database.prepare(`${columns} ORDER BY name`)
  // A name that looks like the id of another schedule does not hide that one.
  const one = database.prepare(
    `${columns} WHERE id = ?1 OR name = ?1 ORDER BY id = ?1 DESC LIMIT 1`,
  )
  const count = database.prepare('SELECT count(*) AS count FROM schedules')
  const named = database.prepare('SELECT 1 FROM schedules WHERE name = ?')
  const insert = database.prepare(
    'INSERT INTO schedules (id, name, created_at, revision, definition, state) VALUES (?, ?, ?, 1, ?, ?)',
  )
  const remove = database.prepare('DELETE FROM schedules WHERE id = ?')
  const update = database.prepare(
    'UPDATE schedules SET state = ?, revision = revision + 1 WHERE id = ? AND revision = ?',
  )
  const changed = database.prepare('UPDATE schedule_settings SET changes = changes + 1')
  const ticks = createTicks(database)
  const find = (idOrName: string): ScheduleRow => {
    const found = one.get(idOrName) as ScheduleColumns | undefined
    if (found === undefined) throw storeErrors.unknownSchedule(idOrName)
    return toRow(found)
  }
  return {
    ...createSettings(database),
    ticks: ticks.newest,
    tick: ticks.one,
    ticksSince: ticks.since,
    add({ id, name, createdAtMs, definition, state }) {
      if (named.get(name) !== undefined) throw storeErrors.scheduleNameTaken(name)
      if ((count.get() as { count: number }).count >= schedulesMax) {
        throw storeErrors.tooManySchedules(schedulesMax)
      }
      insert.run(id, name, createdAtMs, JSON.stringify(definition), JSON.stringify(state))
      changed.run()
      return find(id)
    },
    list: () => (all.all() as ScheduleColumns[]).map(toRow),
    find,
    remove(id) {
      if (Number(remove.run(id).changes) === 0) throw storeErrors.unknownSchedule(id)
      changed.run()
    },
    update(id, { revision, state, ticks: written = [] }) {
      const { changes } = update.run(JSON.stringify(state), id, revision)
      if (Number(changes) === 0) throw storeErrors.scheduleChanged(find(id).name)
      for (const tick of written) ticks.put(id, tick)
      changed.run()
      return find(id)
    },
  }
}

interface Ticks {
  newest(id: string, limit: number): readonly TickRow[]
  one(id: string, tick: string): TickRow | undefined
  since(atMs: number): readonly ScheduleTickRow[]
  put(id: string, tick: TickRow): void
}

function createTicks(database: Database): Ticks {
  const select = database.prepare(`${tickColumns} WHERE schedule = ? ORDER BY id DESC LIMIT ?`)
  const selectOne = database.prepare(`${tickColumns} WHERE schedule = ? AND tick = ?`)
  const selectSince = database.prepare(`${tickColumns} WHERE at >= ? ORDER BY id`)
  const upsert = database.prepare(
    'INSERT INTO schedule_ticks (schedule, tick, at, body) VALUES (?, ?, ?, ?) ' +
      'ON CONFLICT (schedule, tick) DO UPDATE SET at = excluded.at, body = excluded.body',
  )
  const prune = database.prepare(
    'DELETE FROM schedule_ticks WHERE schedule = ?1 AND id <= (SELECT id FROM schedule_ticks ' +
      'WHERE schedule = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)',
  )
  return {
    newest: (id, limit) => (select.all(id, limit) as TickColumns[]).map(toTick),
    one(id, tick) {
      const found = selectOne.get(id, tick) as TickColumns | undefined
      return found === undefined ? undefined : toTick(found)
    },
    since: (atMs) =>
      (selectSince.all(atMs) as TickColumns[]).map((row) => ({
        schedule: row.schedule,
        ...toTick(row),
      })),
    put(id, { tick, atMs, body }) {
      upsert.run(id, tick, atMs, JSON.stringify(body))
      prune.run(id, ticksKept)
    },
  }
}

function createSettings(
  database: Database,
): Pick<ScheduleTable, 'settings' | 'saveSettings' | 'changes'> {
  const select = database.prepare('SELECT body, changes FROM schedule_settings')
  const update = database.prepare('UPDATE schedule_settings SET body = ?, changes = changes + 1')
  const read = (): { readonly body: string; readonly changes: number } =>
    select.get() as { readonly body: string; readonly changes: number }
  return {
    // Damaged is not the same as never saved: all schedules may be paused.
    settings: () => (read().body === 'null' ? null : (readStoredJson(read().body) ?? damaged)),
    saveSettings: (settings) => void update.run(JSON.stringify(settings)),
    changes: () => read().changes,
  }
}

const damaged = 'damaged'

const toRow = (row: ScheduleColumns): ScheduleRow => ({
  id: row.id,
  name: row.name,
  createdAtMs: row.created_at,
  revision: row.revision,
  definition: readStoredJson(row.definition),
  state: readStoredJson(row.state),
})

const toTick = ({ tick, at, body }: TickColumns): TickRow => ({
  tick,
  atMs: at,
  body: readStoredJson(body),
})
