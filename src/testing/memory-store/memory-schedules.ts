/** Schedules in memory. */

import {
  type ScheduleRow,
  type Schedules,
  schedulesMax,
  storeErrors,
  type TickRow,
  ticksKept,
} from '../../engine/index.ts'
import type { Json } from '../../loop/index.ts'
import type { MemoryData, MemorySchedule, MemoryTick } from './memory-data.ts'

export function createMemorySchedules({ schedules, scheduling }: MemoryData): Schedules {
  const find = (idOrName: string): MemorySchedule => {
    const byName = [...schedules.values()].find(({ name }) => name === idOrName)
    const found = schedules.get(idOrName) ?? byName
    if (found === undefined) throw storeErrors.unknownSchedule(idOrName)
    return found
  }
  const withId = (id: string): MemorySchedule => {
    const found = schedules.get(id)
    if (found === undefined) throw storeErrors.unknownSchedule(id)
    return found
  }
  return {
    async add(schedule) {
      const { id, name } = schedule
      if ([...schedules.values()].some((one) => one.name === name)) {
        throw storeErrors.scheduleNameTaken(name)
      }
      if (schedules.size >= schedulesMax) throw storeErrors.tooManySchedules(schedulesMax)
      const row = JSON.stringify({ ...schedule, revision: 1 })
      schedules.set(id, { name, row, ticks: [] })
      scheduling.changes += 1
      return toRow(withId(id))
    },
    list: async () =>
      [...schedules.values()].map(toRow).toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    find: async (idOrName) => toRow(find(idOrName)),
    async remove(id) {
      withId(id)
      schedules.delete(id)
      scheduling.changes += 1
    },
    async update(id, { revision, state, ticks = [] }) {
      const found = withId(id)
      const row = toRow(found)
      if (row.revision !== revision) throw storeErrors.scheduleChanged(row.name)
      found.row = JSON.stringify({ ...row, state, revision: revision + 1 })
      for (const tick of ticks) {
        scheduling.lastTick += 1
        found.ticks = withTick(found.ticks, tick, scheduling.lastTick)
      }
      scheduling.changes += 1
      return toRow(found)
    },
    ticks: async (id, limit) =>
      (schedules.get(id)?.ticks ?? []).toReversed().slice(0, limit).map(toTick),
    async tick(id, tick) {
      const found = schedules.get(id)?.ticks.find((one) => one.tick === tick)
      return found === undefined ? undefined : toTick(found)
    },
    ticksSince: async (atMs) =>
      [...schedules]
        .flatMap(([schedule, { ticks }]) => ticks.map((tick) => ({ schedule, tick })))
        .filter(({ tick }) => tick.atMs >= atMs)
        .toSorted((one, other) => one.tick.order - other.tick.order)
        .map(({ schedule, tick }) => ({ schedule, ...toTick(tick) })),
    settings: async () => JSON.parse(scheduling.settings) as Json,
    async saveSettings(settings) {
      scheduling.settings = JSON.stringify(settings)
      scheduling.changes += 1
    },
    changes: async () => scheduling.changes,
  }
}

function withTick(
  ticks: readonly MemoryTick[],
  { tick, atMs, body }: TickRow,
  order: number,
): readonly MemoryTick[] {
  const known = ticks.find((one) => one.tick === tick)
  const kept = { order: known?.order ?? order, tick, atMs, body: JSON.stringify(body) }
  if (known !== undefined) return ticks.map((one) => (one === known ? kept : one))
  return [...ticks, kept].slice(-ticksKept)
}

const toRow = ({ row }: MemorySchedule): ScheduleRow => JSON.parse(row) as ScheduleRow

const toTick = ({ tick, atMs, body }: MemoryTick): TickRow => ({
  tick,
  atMs,
  body: JSON.parse(body) as Json,
})
