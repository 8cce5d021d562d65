/** The asynchronous port of schedules: each change is a separate transaction, and on disk when it resolves. */

import type { Schedules } from '../engine/index.ts'
import type { ScheduleTable } from './schedule-table.ts'

export interface SchedulesParts {
  readonly scheduled: ScheduleTable
  reading<T>(work: () => T): Promise<T>
  transaction<T>(work: () => T): Promise<T>
}

export function createSchedules({ scheduled, reading, transaction }: SchedulesParts): Schedules {
  return {
    add: (schedule) => transaction(() => scheduled.add(schedule)),
    list: () => reading(() => scheduled.list()),
    find: (idOrName) => reading(() => scheduled.find(idOrName)),
    remove: (id) => transaction(() => scheduled.remove(id)),
    update: (id, change) => transaction(() => scheduled.update(id, change)),
    ticks: (id, limit) => reading(() => scheduled.ticks(id, limit)),
    tick: (id, tick) => reading(() => scheduled.tick(id, tick)),
    ticksSince: (atMs) => reading(() => scheduled.ticksSince(atMs)),
    settings: () => reading(() => scheduled.settings()),
    saveSettings: (settings) => transaction(() => scheduled.saveSettings(settings)),
    changes: () => reading(() => scheduled.changes()),
  }
}
