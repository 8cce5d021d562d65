/**
 * The schedules of a store, as they were last read, and every change of them.
 *
 * 1. A change is a function of the newest state. Another process may change the schedule at the same time: then the
 *    function is applied again to what it left.
 */

import { randomUUID } from 'node:crypto'
import type { ScheduleRow, Schedules, TickRow } from '../../engine/index.ts'
import { isLoopError, LoopError } from '../../loop/index.ts'
import type { ScheduleTick } from '../../protocol/api/index.ts'
import { parseActiveHours } from '../../protocol/schedule/active-hours.ts'
import { isCadenceProblem, parseCadence } from '../../protocol/schedule/cadence.ts'
import type { DueRules } from './rules/due.ts'
import type { ScheduleDefinition, ScheduleState } from './rules/schedule.ts'
import { createTimetable } from './rules/timetable.ts'
import { readSchedule, readSettings, type ScheduleSettings, toStored } from './stored.ts'

export interface Entry {
  readonly id: string
  readonly name: string
  readonly createdAtMs: number
  readonly definition: ScheduleDefinition
  readonly rules: DueRules
  readonly state: ScheduleState
  readonly revision: number
}

export interface Change {
  readonly state: ScheduleState
  readonly tick?: ScheduleTick
}

export interface ScheduleBook {
  /** Reads what other processes changed. */
  refresh(): Promise<void>
  entries(): readonly Entry[]
  get(id: string): Entry | undefined
  /** Schedules that this version cannot read. */
  unreadable(): readonly ScheduleRow[]
  settings(): ScheduleSettings
  /** Undefined: it was removed. `change` returns undefined to change nothing. */
  change(id: string, change: (entry: Entry) => Change | undefined): Promise<Entry | undefined>
}

const triesMax = 20

export async function openBook(schedules: Schedules): Promise<ScheduleBook> {
  const entries = new Map<string, Entry>()
  let unreadable: readonly ScheduleRow[] = []
  let settings: ScheduleSettings = {}
  let known = -1

  function take(row: ScheduleRow): Entry | undefined {
    const before = entries.get(row.id)
    // What this process wrote while the rows were read is newer than they are.
    if (before !== undefined && before.revision >= row.revision) return before
    const entry = toEntry(row, before)
    if (entry === undefined) entries.delete(row.id)
    else entries.set(row.id, entry)
    return entry
  }

  async function read(): Promise<void> {
    // First, so that a change while the rest is read is seen the next time.
    known = await schedules.changes()
    settings = readSettings(await schedules.settings())
    const rows = await schedules.list()
    const ids = new Set(rows.map(({ id }) => id))
    for (const id of entries.keys()) if (!ids.has(id)) entries.delete(id)
    unreadable = rows.filter((row) => take(row) === undefined)
  }

  /** Another process changed or removed it. */
  async function readOne(id: string): Promise<void> {
    const row = await schedules.find(id).catch((error: unknown) => {
      if (!isLoopError(error, 'unknown-schedule')) throw error
    })
    if (row === undefined) entries.delete(id)
    else take(row)
  }

  async function write(entry: Entry, { state, tick }: Change): Promise<Entry> {
    const { id, revision: before } = entry
    const ticks = tick === undefined ? {} : { ticks: [toRow(tick)] }
    const change = { revision: before, state: toStored(state), ...ticks }
    const { revision } = await schedules.update(id, change)
    known += 1
    const written = { ...entry, state, revision }
    entries.set(id, written)
    return written
  }

  await read()
  return {
    async refresh() {
      if ((await schedules.changes()) !== known) await read()
    },
    entries: () => [...entries.values()],
    get: (id) => entries.get(id),
    unreadable: () => unreadable,
    settings: () => settings,
    async change(id, change) {
      for (let tries = 1; ; tries++) {
        const entry = entries.get(id)
        const changed = entry === undefined ? undefined : change(entry)
        if (entry === undefined || changed === undefined) return entry
        try {
          return await write(entry, changed)
        } catch (error) {
          const isGone = isLoopError(error, 'unknown-schedule')
          if (!isGone && (!isLoopError(error, 'fenced') || tries === triesMax)) throw error
          await readOne(id)
        }
      }
    },
  }
}

/** Rejects with `name-taken`. */
export async function addEntry(
  schedules: Schedules,
  schedule: Pick<Entry, 'name' | 'definition' | 'state' | 'createdAtMs'>,
): Promise<Entry> {
  const { name, createdAtMs, definition, state } = schedule
  const row = await schedules.add({
    id: randomUUID(),
    name,
    createdAtMs,
    definition: toStored(definition),
    state: toStored(state),
  })
  return requireReadable(row)
}

/** Changes a schedule by its id or name, without reading the others. Rejects with `unknown-schedule`. */
export async function changeSchedule(
  schedules: Schedules,
  idOrName: string,
  change: (entry: Entry) => ScheduleState,
): Promise<Entry> {
  for (let tries = 1; ; tries++) {
    const row = await schedules.find(idOrName)
    const entry = requireReadable(row)
    const state = change(entry)
    try {
      const { revision } = await schedules.update(row.id, {
        revision: row.revision,
        state: toStored(state),
      })
      return { ...entry, state, revision }
    } catch (error) {
      if (!isLoopError(error, 'fenced') || tries === triesMax) throw error
    }
  }
}

function requireReadable(row: ScheduleRow): Entry {
  const entry = toEntry(row)
  if (entry !== undefined) return entry
  throw new LoopError(
    'wrong-status',
    `This version cannot read schedule "${row.name}". Remove it and add it again: loopctl schedule remove ${row.name}`,
  )
}

/** Undefined: another version wrote it. */
export function toEntry(row: ScheduleRow, before?: Entry): Entry | undefined {
  const read = readSchedule(row)
  if (read === undefined) return undefined
  const { id, name, createdAtMs, revision } = row
  try {
    const rules = before?.rules ?? toRules(read.definition, createdAtMs)
    return { id, name, createdAtMs, revision, ...read, rules }
  } catch {
    // A cadence or a zone that this version, or this machine, does not know.
    return undefined
  }
}

/** Rejects with `bad-request`. */
export function toRules(definition: ScheduleDefinition, anchorMs: number): DueRules {
  const { trigger, timeZone, activeHours: hours } = definition
  const activeHours = hours === undefined ? undefined : parseActiveHours(hours)
  if (hours !== undefined && activeHours === undefined) {
    throw new LoopError(
      'bad-request',
      `${JSON.stringify(hours)} are not active hours. Write them as "09:00-17:00" or "mon-fri 09:00-17:00".`,
    )
  }
  if (trigger.type !== 'time') {
    if (activeHours === undefined) return { timetable: undefined, cadence: undefined }
    // Only its active hours matter.
    const never = { type: 'interval', everyMs: 1 } as const
    const timetable = createTimetable({ cadence: never, timeZone, anchorMs, activeHours })
    return { timetable: { ...timetable, after: () => undefined }, cadence: undefined }
  }
  const cadence = parseCadence(trigger.cadence)
  if (isCadenceProblem(cadence)) {
    throw new LoopError(
      'bad-request',
      `The cadence is wrong: ${cadence.message}. Use a form such as "daily 09:00".`,
    )
  }
  const timetable = createTimetable({ cadence, timeZone, anchorMs, activeHours })
  return { timetable, cadence }
}

const toRow = (tick: ScheduleTick): TickRow => ({
  tick: tick.tick,
  atMs: tick.atMs,
  body: toStored(tick),
})
