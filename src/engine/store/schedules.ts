/**
 * Schedules, what each of their ticks did, and what holds for all of them.
 *
 * S1. A schedule is changed only from the revision that was read, so that two processes never undo each other's changes.
 * S2. The new state of a schedule and its ticks are written together or not at all. A tick is stored once: writing it again
 *     replaces what is known of it, and never adds a second one.
 * S3. The newest ticks are kept, up to `ticksKept` for each schedule; there are at most `schedulesMax` schedules (E9).
 */

import type { Json } from '../../loop/index.ts'

export const schedulesMax = 5000
export const ticksKept = 500

export interface Schedules {
  /** Rejects with `name-taken`, and with `bad-request` if there are too many. */
  add(schedule: NewScheduleRow): Promise<ScheduleRow>
  /** By name. */
  list(): Promise<readonly ScheduleRow[]>
  /** By id or name. Rejects with `unknown-schedule`. */
  find(idOrName: string): Promise<ScheduleRow>
  /** With its ticks. Runs that it started stay. */
  remove(id: string): Promise<void>
  /** S1, S2. Rejects with `fenced` if the schedule has another revision, and with `unknown-schedule`. */
  update(id: string, change: ScheduleChange): Promise<ScheduleRow>
  /** The newest first. */
  ticks(id: string, limit: number): Promise<readonly TickRow[]>
  /** Undefined: there is no such tick, or it is no longer kept. */
  tick(id: string, tick: string): Promise<TickRow | undefined>
  /** Ticks of all schedules from a moment on, the oldest first. */
  ticksSince(atMs: number): Promise<readonly ScheduleTickRow[]>
  /** What holds for all schedules. Null: nothing was saved yet. Only the driver reads it. */
  settings(): Promise<Json>
  saveSettings(settings: Json): Promise<void>
  /** Grows with every change, so that another process can tell whether there was one. */
  changes(): Promise<number>
}

export interface NewScheduleRow {
  readonly id: string
  /** Unique. */
  readonly name: string
  readonly createdAtMs: number
  /** What it is, which never changes. Only the driver reads it. */
  readonly definition: Json
  /** How far it is. Only the driver reads it. */
  readonly state: Json
}

export interface ScheduleRow extends NewScheduleRow {
  readonly revision: number
}

export interface ScheduleChange {
  readonly revision: number
  readonly state: Json
  readonly ticks?: readonly TickRow[]
}

export interface TickRow {
  /** What made it due, such as `time:1767254400000`. */
  readonly tick: string
  readonly atMs: number
  /** What became of it. */
  readonly body: Json
}

export interface ScheduleTickRow extends TickRow {
  readonly schedule: string
}
