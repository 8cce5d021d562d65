/** Schedules as the API shows them. */

import type { ScheduleRow } from '../../engine/index.ts'
import { defined } from '../../loop/index.ts'
import type { Schedule, ScheduleHealth, ScheduleTick } from '../../protocol/api/index.ts'
import type { Entry } from './book.ts'
import { dueAtMs } from './rules/due.ts'
import type { ScheduleSettings } from './stored.ts'

export interface ViewOptions {
  readonly nowMs: number
  readonly settings: ScheduleSettings
  readonly ticks?: readonly ScheduleTick[]
}

/** It is handled within seconds. Longer: nothing handles it. */
const lateMs = 120_000

export function viewSchedule(entry: Entry, options: ViewOptions): Schedule {
  const { id, name, createdAtMs, definition, state } = entry
  const { settings, ticks } = options
  const { file, loop, workspace, here, trigger, timeZone, activeHours } = definition
  const { always, caps, alertAfter, notify, by } = definition
  const paused = state.paused ?? settings.paused
  const nextAtMs = paused === undefined ? nextMoment(entry, options) : undefined
  const { running, last, failures } = state
  return {
    id,
    name,
    loop,
    file,
    trigger,
    timeZone,
    always,
    caps,
    alertAfter,
    createdAtMs,
    by,
    failures,
    health: healthOf(entry, options),
    ...defined({
      workspace: workspace ?? here,
      activeHours,
      notify,
      paused,
      nextAtMs,
      last,
      ticks,
    }),
    ...defined({ alert: alertOf(entry, options) }),
    ...(running === undefined
      ? {}
      : { running: { run: running.run, name: running.name, atMs: running.atMs } }),
  }
}

function healthOf(entry: Entry, options: ViewOptions): ScheduleHealth {
  const { state, definition } = entry
  const { paused, alert, running, failures } = state
  if (paused !== undefined || options.settings.paused !== undefined) return 'paused'
  if (running !== undefined && alert !== undefined && state.blocked > 0) return 'blocked'
  if (failures >= definition.alertAfter) return 'failing'
  if (running !== undefined) return 'running'
  const nextAtMs = nextMoment(entry, options)
  if (nextAtMs === undefined) return definition.trigger.type === 'time' ? 'ended' : 'ok'
  return options.nowMs - nextAtMs > lateMs ? 'late' : 'ok'
}

function alertOf(entry: Entry, options: ViewOptions): string | undefined {
  const { alert } = entry.state
  if (alert !== undefined) return alert.reason
  return healthOf(entry, options) === 'late'
    ? 'It is due, and no daemon handles it. Start one: loopctl daemon start'
    : undefined
}

/** A moment that passed outside of the active hours is due when they begin. */
function nextMoment({ state, rules }: Entry, { nowMs }: ViewOptions): number | undefined {
  const { waiting, nextAtMs } = state
  const atMs = waiting?.atMs ?? nextAtMs
  if (atMs === undefined || atMs > nowMs) return atMs
  const dueMs = dueAtMs(state, rules, nowMs)
  return dueMs === undefined || dueMs <= nowMs ? atMs : dueMs
}

/** One that another version wrote. */
export const viewUnreadable = ({ id, name, createdAtMs }: ScheduleRow): Schedule => ({
  id,
  name,
  loop: '',
  file: '',
  trigger: { type: 'time', cadence: '' },
  timeZone: 'UTC',
  always: false,
  caps: {},
  alertAfter: 0,
  createdAtMs,
  by: '',
  failures: 0,
  health: 'unreadable',
  alert: `This version cannot read it. Remove it and add it again: loopctl schedule remove ${name}`,
})
