/** Schedules: what starts runs at a time or after an event, and what each of their ticks did. */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { someLimitsSchema } from '../run-values.ts'
import { count, pathText as path, published } from '../values.ts'
import { type WorktreeOverrides, worktreeOverridesSchema } from './run-settings.ts'

/** What makes a schedule due. */
export type ScheduleTrigger =
  /** `daily 09:00`, `weekly mon 09:00`, `every 10m`, or a cron expression of five fields. */
  | { readonly type: 'time'; readonly cadence: string }
  /** A request that is signed as Standard Webhooks has it. */
  | { readonly type: 'webhook' }
  /** The content of a file. */
  | { readonly type: 'file'; readonly path: string }
  /** The commit of a branch. */
  | { readonly type: 'branch'; readonly repository: string; readonly branch: string }
  /** The end of a run of another loop. */
  | { readonly type: 'run'; readonly loop: string; readonly outcomes: readonly string[] }

/** What all scheduled runs of a loop may use on one day. */
export interface DailyCaps {
  readonly runs?: number
  readonly tokens?: number
  readonly costMicros?: number
}

/** The body of `POST /schedules`. */
export interface NewScheduleRequest {
  readonly name?: string
  /** The loop file, as an absolute path on the daemon's machine. */
  readonly file: string
  readonly workspace?: string
  /** The caller's current directory: the workspace if neither of the two names one. */
  readonly here?: string
  readonly trigger: ScheduleTrigger
  /** Of the cadence, the active hours and the days of the caps. Default: that of the daemon's machine. */
  readonly timeZone?: string
  /** Such as `mon-fri 09:00-17:00`. */
  readonly activeHours?: string
  /** Wait for the first moment of the cadence. Default: due at once. */
  readonly fromNext?: boolean
  /** E8. Each tick starts a run, even if there is nothing new. */
  readonly always?: boolean
  readonly caps?: DailyCaps
  /** After how many failures in a row it alerts. */
  readonly alertAfter?: number
  /** What is run when it alerts: a command of the user on the daemon's machine. The text is its standard input. */
  readonly notify?: readonly string[]
  readonly input?: Readonly<Record<string, string>>
  readonly limits?: z.output<typeof someLimitsSchema>
  readonly worktree?: WorktreeOverrides
  /** The digest of the loop file to trust. */
  readonly trust?: string
  readonly by?: string
}

const text = z.string().min(1).max(256)
const name = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, 'use 1 to 40 of a-z, 0-9 and -')

export const triggerSchema: z.ZodType<ScheduleTrigger> = exactly<ScheduleTrigger>()(
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('time'), cadence: text }),
    z.strictObject({ type: z.literal('webhook') }),
    z.strictObject({ type: z.literal('file'), path }),
    z.strictObject({ type: z.literal('branch'), repository: path, branch: text }),
    z.strictObject({
      type: z.literal('run'),
      loop: text,
      outcomes: z.array(text).max(20).readonly(),
    }),
  ]),
)

export const dailyCapsSchema: z.ZodType<DailyCaps> = exactly<DailyCaps>()(
  z.strictObject({
    runs: z.int().min(1).max(100_000).exactOptional(),
    tokens: z.int().min(1).exactOptional(),
    costMicros: z.int().min(1).exactOptional(),
  }),
)

export const newScheduleSchema: z.ZodType<NewScheduleRequest> = z
  .strictObject({
    name: name.exactOptional(),
    file: path,
    workspace: path.exactOptional(),
    here: path.exactOptional(),
    trigger: triggerSchema,
    timeZone: text.exactOptional(),
    activeHours: text.exactOptional(),
    fromNext: z.boolean().exactOptional(),
    always: z.boolean().exactOptional(),
    caps: dailyCapsSchema.exactOptional(),
    alertAfter: z.int().min(1).max(100).exactOptional(),
    notify: z.array(z.string().max(4096)).min(1).max(50).readonly().exactOptional(),
    input: z.record(z.string().max(256), z.string().max(1_000_000)).exactOptional(),
    limits: someLimitsSchema.exactOptional(),
    worktree: worktreeOverridesSchema.exactOptional(),
    trust: text.exactOptional(),
    by: text.exactOptional(),
  })
  .register(published, { id: 'NewScheduleRequest' })

export type TickStatus = 'started' | 'ended' | 'skipped' | 'failed' | 'waiting'

/** Why a tick started no run. */
export type SkipCode =
  /** A run of the schedule was still going. */
  | 'overlap'
  /** E8. Nothing changed since the last run. */
  | 'nothing-new'
  | 'cap'
  /** After failures it waits longer each time. */
  | 'backing-off'
  /** Too many runs were started by each other's ends. */
  | 'chain'

/** What became of one tick. */
export interface ScheduleTick {
  /** What made it due, such as `time:1767254400000`. */
  readonly tick: string
  readonly atMs: number
  readonly status: TickStatus
  readonly code?: SkipCode
  /** Why it was skipped, failed or waits. */
  readonly reason?: string
  /** The run that it started: its id and name. */
  readonly run?: string
  readonly name?: string
  /** How that run ended. */
  readonly outcome?: string
  readonly tokens?: number
  readonly costMicros?: number
  /** How many other ticks this one stands for: missed ones, or skipped ones in a row. */
  readonly missed?: number
  readonly times?: number
}

export const tickSchema: z.ZodType<ScheduleTick> = exactly<ScheduleTick>()(
  z.strictObject({
    tick: z.string(),
    atMs: z.number(),
    status: z.enum(['started', 'ended', 'skipped', 'failed', 'waiting']),
    code: z.enum(['overlap', 'nothing-new', 'cap', 'backing-off', 'chain']).exactOptional(),
    reason: z.string().exactOptional(),
    run: z.string().exactOptional(),
    name: z.string().exactOptional(),
    outcome: z.string().exactOptional(),
    tokens: count.exactOptional(),
    costMicros: count.exactOptional(),
    missed: count.exactOptional(),
    times: count.exactOptional(),
  }),
).register(published, { id: 'ScheduleTick' })

/** `late`: it is due, and nothing happened: the daemon does not run, or hangs. `ended`: it is never due again. */
export type ScheduleHealth =
  | 'ok'
  | 'running'
  | 'paused'
  | 'failing'
  | 'blocked'
  | 'late'
  | 'ended'
  | 'unreadable'

export interface Schedule {
  readonly id: string
  readonly name: string
  /** The name of its loop. */
  readonly loop: string
  readonly file: string
  readonly workspace?: string
  readonly trigger: ScheduleTrigger
  readonly timeZone: string
  readonly activeHours?: string
  readonly always: boolean
  readonly caps: DailyCaps
  readonly alertAfter: number
  readonly notify?: readonly string[]
  readonly createdAtMs: number
  readonly by: string
  readonly health: ScheduleHealth
  /** What is wrong, and what to do. */
  readonly alert?: string
  readonly paused?: PausedSchedules
  /** When it is due next. Absent: after an event, never again, or it is paused. */
  readonly nextAtMs?: number
  /** The run that it started and that has not ended. */
  readonly running?: { readonly run: string; readonly name: string; readonly atMs: number }
  /** How many runs failed in a row. */
  readonly failures: number
  readonly last?: ScheduleTick
  /** Only when one schedule is asked for: the newest first. */
  readonly ticks?: readonly ScheduleTick[]
}

interface PausedSchedules {
  readonly atMs: number
  readonly by: string
  readonly reason?: string
}

const pausedSchema: z.ZodType<PausedSchedules> = z.strictObject({
  atMs: z.number(),
  by: z.string(),
  reason: z.string().exactOptional(),
})

export const scheduleSchema: z.ZodType<Schedule> = exactly<Schedule>()(
  z.strictObject({
    id: z.string(),
    name: z.string(),
    loop: z.string(),
    file: z.string(),
    workspace: z.string().exactOptional(),
    trigger: triggerSchema,
    timeZone: z.string(),
    activeHours: z.string().exactOptional(),
    always: z.boolean(),
    caps: dailyCapsSchema,
    alertAfter: count,
    notify: z.array(z.string()).readonly().exactOptional(),
    createdAtMs: z.number(),
    by: z.string(),
    health: z.enum([
      'ok',
      'running',
      'paused',
      'failing',
      'blocked',
      'late',
      'ended',
      'unreadable',
    ]),
    alert: z.string().exactOptional(),
    paused: pausedSchema.exactOptional(),
    nextAtMs: z.number().exactOptional(),
    running: z
      .strictObject({ run: z.string(), name: z.string(), atMs: z.number() })
      .exactOptional(),
    failures: count,
    last: tickSchema.exactOptional(),
    ticks: z.array(tickSchema).readonly().exactOptional(),
  }),
).register(published, { id: 'Schedule' })

/** `driven`: a daemon runs, so that schedules are due. */
export interface ScheduleList {
  readonly items: readonly Schedule[]
  /** All schedules are paused. */
  readonly paused?: PausedSchedules
  readonly driven: boolean
}

export const scheduleListSchema: z.ZodType<ScheduleList> = exactly<ScheduleList>()(
  z.strictObject({
    items: z.array(scheduleSchema).readonly(),
    paused: pausedSchema.exactOptional(),
    driven: z.boolean(),
  }),
).register(published, { id: 'ScheduleList' })

/** The answer to `POST /schedules`. */
export interface AddedSchedule {
  readonly schedule: Schedule
  /** Problems that its runs would have, such as a key that the daemon does not have. */
  readonly warnings: readonly string[]
  /** Of a webhook: shown only once. */
  readonly secret?: string
  readonly driven: boolean
}

export const addedScheduleSchema: z.ZodType<AddedSchedule> = exactly<AddedSchedule>()(
  z.strictObject({
    schedule: scheduleSchema,
    warnings: z.array(z.string()).readonly(),
    secret: z.string().exactOptional(),
    driven: z.boolean(),
  }),
).register(published, { id: 'AddedSchedule' })

/** The body of `pause` and `resume`. */
export interface SchedulePauseRequest {
  readonly by?: string
  readonly reason?: string
}

export const schedulePauseSchema: z.ZodType<SchedulePauseRequest> = z
  .strictObject({
    by: text.exactOptional(),
    reason: z.string().max(1000).exactOptional(),
  })
  .register(published, { id: 'SchedulePauseRequest' })
