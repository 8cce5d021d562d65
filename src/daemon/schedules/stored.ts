/** Schedules as the store has them: JSON, which is parsed once. */

import { z } from 'zod'
import type { ScheduleRow } from '../../engine/index.ts'
import type { Json } from '../../loop/index.ts'
import {
  dailyCapsSchema,
  type ScheduleTick,
  tickSchema,
  triggerSchema,
} from '../../protocol/api/index.ts'
import { worktreeOverridesSchema } from '../../protocol/api/run-settings.ts'
import { someLimitsSchema } from '../../protocol/run-values.ts'
import type { Paused, ScheduleDefinition, ScheduleState } from './rules/schedule.ts'

const text = z.string()
const whole = z.number()
const optionalText = text.exactOptional()

const definitionSchema = z.object({
  file: text,
  workspace: optionalText,
  here: optionalText,
  input: z.record(text, text).exactOptional(),
  limits: someLimitsSchema.exactOptional(),
  worktree: worktreeOverridesSchema.exactOptional(),
  trigger: triggerSchema,
  loop: text,
  timeZone: text,
  activeHours: optionalText,
  always: z.boolean(),
  caps: dailyCapsSchema,
  alertAfter: whole,
  notify: z.array(text).exactOptional(),
  by: text,
})

const pausedSchema: z.ZodType<Paused> = z.object({ atMs: whole, by: text, reason: optionalText })
const spent = { tokens: whole, costMicros: whole }

const stateSchema = z.object({
  nextAtMs: whole.exactOptional(),
  handledToMs: whole,
  paused: pausedSchema.exactOptional(),
  running: z
    .object({
      tick: text,
      atMs: whole,
      run: text,
      name: text,
      missed: whole.exactOptional(),
      fingerprint: optionalText,
      reserved: z.object(spent),
    })
    .exactOptional(),
  waiting: z
    .object({
      tick: text,
      atMs: whole,
      merged: whole,
      newest: z.object({ tick: text, atMs: whole }).exactOptional(),
    })
    .exactOptional(),
  asked: z.object({ tick: text, atMs: whole }).exactOptional(),
  today: z.object({ date: text, runs: whole, ...spent }).exactOptional(),
  failures: whole,
  backOffToMs: whole.exactOptional(),
  blocked: whole,
  lastSkip: tickSchema.exactOptional(),
  last: tickSchema.exactOptional(),
  evidence: z.object({ fingerprint: text, run: text, name: text }).exactOptional(),
  alert: z.object({ atMs: whole, reason: text }).exactOptional(),
  seen: optionalText,
  hooks: z.array(z.object({ id: text, atMs: whole })).exactOptional(),
})

export interface StoredSchedule {
  readonly row: ScheduleRow
  readonly definition: ScheduleDefinition
  readonly state: ScheduleState
}

type Parsed<T> = { readonly success: true; readonly data: T } | { readonly success: false }

/** Undefined: another version wrote it, or it is damaged. */
export function readSchedule(row: ScheduleRow): StoredSchedule | undefined {
  const definition: Parsed<ScheduleDefinition> = definitionSchema.safeParse(row.definition)
  const state: Parsed<ScheduleState> = stateSchema.safeParse(row.state)
  if (!definition.success || !state.success) return undefined
  return { row, definition: definition.data, state: state.data }
}

/** What holds for all schedules. */
export interface ScheduleSettings {
  readonly paused?: Paused
  /** When they were last resumed. */
  readonly resumedAtMs?: number
}

const settingsSchema: z.ZodType<ScheduleSettings> = z.object({
  paused: pausedSchema.exactOptional(),
  resumedAtMs: whole.exactOptional(),
})

/** Null: nothing was saved yet. If they are damaged, all schedules are paused: they may have been. */
export function readSettings(stored: Json): ScheduleSettings {
  if (stored === null) return {}
  const read = settingsSchema.safeParse(stored)
  return read.success ? read.data : { paused: damagedSettings }
}

const damagedSettings: Paused = {
  atMs: 0,
  by: 'loopwright',
  reason:
    'the settings of all schedules are damaged; check them, then: loopctl schedule resume --all',
}

export function readTick(body: Json): ScheduleTick | undefined {
  const read = tickSchema.safeParse(body)
  return read.success ? read.data : undefined
}

/** Types of JSON have no `undefined`, and none is in these. */
export const toStored = (value: object): Json => value as unknown as Json
