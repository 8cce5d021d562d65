/** Operations on schedules. They change the store; the driver of the daemon reads what was changed. */

import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { systemClock } from '../../engine/index.ts'
import { defined, LoopError } from '../../loop/index.ts'
import {
  addedScheduleSchema,
  newScheduleSchema,
  type Schedule,
  scheduleListSchema,
  schedulePauseSchema,
  scheduleSchema,
} from '../../protocol/api/index.ts'
import { toDecider } from '../decider.ts'
import type { DaemonParts } from '../parts.ts'
import type { RequestBindings } from '../principal.ts'
import { addSchedule } from '../schedules/add-schedule.ts'
import { changeSchedule, type Entry, toEntry } from '../schedules/book.ts'
import { acceptHook, hookSecret } from '../schedules/hooks.ts'
import { listSchedules, streamSchedules } from '../schedules/list-schedules.ts'
import { continueFrom } from '../schedules/rules/due.ts'
import type { Paused, ScheduleState } from '../schedules/rules/schedule.ts'
import { readSettings, readTick, type ScheduleSettings, toStored } from '../schedules/stored.ts'
import { viewSchedule, viewUnreadable } from '../schedules/view.ts'
import { wantsStream } from '../streams/wants-stream.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { type Parameter, required, text, whole } from './parameter.ts'

const tag = 'schedules'
const problems = [404, 409]
const shownTicks = 50

const schedule: Parameter<string> = required(
  text({ description: 'A schedule: its id or name.', example: 'nightly', max: 64 }),
  '',
)
const inSchedule: { readonly schedule: Parameter<string> } = { schedule }

const now = systemClock.now

const list = operation({
  id: 'listSchedules',
  method: 'get',
  path: '/schedules',
  tag,
  summary: 'List or stream schedules, by name.',
  description:
    'With `Accept: text/event-stream` each message has all of them as they are then; its `id` counts the changes.',
  headers: {
    'last-event-id': whole({
      description: 'For a stream: the id of the last message.',
      example: 12,
      max: Number.MAX_SAFE_INTEGER,
    }),
  },
  responses: {
    200: {
      description: 'All of them, or a stream if `Accept` is `text/event-stream`.',
      content: { 'application/json': scheduleListSchema, 'text/event-stream': undefined },
    },
  },
  async handle(parts, { headers, context }) {
    if (!wantsStream(context)) return ok(await listSchedules(parts, now()))
    return streamSchedules(parts, headers['last-event-id'] ?? -1, now)
  },
})

const add = operation({
  id: 'addSchedule',
  method: 'post',
  path: '/schedules',
  tag,
  summary: 'Add a schedule: run a loop at a time, or after an event.',
  description:
    'The loop file must be trusted, and is again at each tick. With a cadence it is due at once, unless `fromNext` is true.',
  body: {
    schema: newScheduleSchema,
    example: {
      file: '/home/me/shop/triage.yaml',
      trigger: { type: 'time', cadence: 'daily 09:00' },
      timeZone: 'Europe/Berlin',
    },
  },
  responses: { 201: json('The schedule.', addedScheduleSchema) },
  problems: [404, 409, 422, 501],
  async handle(parts, { body, context }) {
    const by = requester(context, body)
    const { entry, warnings } = await addSchedule(parts, { ...body, by }, now())
    parts.schedules?.wake()
    const settings = readSettings(await parts.host.journal.schedules.settings())
    const added = viewSchedule(entry, { nowMs: now(), settings })
    const driven = parts.schedules !== undefined
    const isHook = entry.definition.trigger.type === 'webhook'
    const secret = isHook ? { secret: hookSecret(parts.host.folder, entry.id) } : {}
    return { status: 201, value: { schedule: added, warnings, driven, ...secret } }
  },
})

const get = operation({
  id: 'getSchedule',
  method: 'get',
  path: '/schedules/{schedule}',
  tag,
  summary: 'Get a schedule, and what its newest ticks did.',
  params: inSchedule,
  responses: { 200: json('The schedule.', scheduleSchema) },
  problems: [404],
  handle: async (parts, { params }) => ok(await view(parts, params.schedule)),
})

const remove = operation({
  id: 'removeSchedule',
  method: 'delete',
  path: '/schedules/{schedule}',
  tag,
  summary: 'Remove a schedule. Runs that it started stay.',
  params: inSchedule,
  responses: {
    200: json('What was removed.', z.strictObject({ removed: z.string(), name: z.string() })),
  },
  problems: [404],
  async handle({ host, schedules }, { params }) {
    const { id, name } = await host.journal.schedules.find(params.schedule)
    await host.journal.schedules.remove(id)
    schedules?.wake()
    return ok({ removed: id, name })
  },
})

const pause = operation({
  id: 'pauseSchedule',
  method: 'post',
  path: '/schedules/{schedule}/pause',
  tag,
  summary: 'Pause a schedule. Its run, if it has one, goes on.',
  params: inSchedule,
  body: { schema: schedulePauseSchema, example: { reason: 'release week' } },
  responses: { 200: json('The schedule.', scheduleSchema) },
  problems,
  async handle(parts, { params, body, context }) {
    const paused = toPaused(requester(context, body), body.reason)
    await change(parts, params.schedule, ({ state }) => ({ ...state, paused }))
    return ok(await view(parts, params.schedule))
  },
})

const resume = operation({
  id: 'resumeSchedule',
  method: 'post',
  path: '/schedules/{schedule}/resume',
  tag,
  summary: 'Resume a paused schedule with its next tick. Clears its failures.',
  params: inSchedule,
  body: { schema: schedulePauseSchema, example: {} },
  responses: { 200: json('The schedule.', scheduleSchema) },
  problems,
  async handle(parts, { params }) {
    await change(parts, params.schedule, resumed)
    return ok(await view(parts, params.schedule))
  },
})

function resumed({ state: before, rules }: Entry): ScheduleState {
  const { paused, alert: _alert, backOffToMs: _backOff, ...state } = before
  const cleared = { ...state, failures: 0, blocked: 0 }
  return paused === undefined ? cleared : continueFrom(cleared, rules.timetable, now())
}

const run = operation({
  id: 'runSchedule',
  method: 'post',
  path: '/schedules/{schedule}/run',
  tag,
  summary: 'Start a run of a schedule now, also if it is paused or there is nothing new.',
  description: 'Without a daemon, the next one starts it.',
  params: inSchedule,
  body: { schema: schedulePauseSchema, example: {} },
  responses: { 202: json('The schedule; `last` is the tick.', scheduleSchema) },
  problems,
  async handle(parts, { params }) {
    requireNotAllPaused(readSettings(await parts.host.journal.schedules.settings()))
    const asked = { tick: `now:${randomUUID()}`, atMs: now() }
    const id = await change(parts, params.schedule, ({ state, name }) => {
      if (state.running === undefined) return { ...state, asked }
      const going = state.running.name
      throw new LoopError(
        'wrong-status',
        `Run "${going}" of schedule "${name}" has not ended. See: loopctl inspect ${going}`,
      )
    })
    await parts.schedules?.handle(id)
    return { status: 202, value: await view(parts, params.schedule) }
  },
})

function requireNotAllPaused({ paused }: ScheduleSettings): void {
  if (paused === undefined) return
  throw new LoopError(
    'wrong-status',
    `${paused.by} paused all schedules. Resume them first: loopctl schedule resume --all`,
  )
}

const pauseAll = operation({
  id: 'pauseSchedules',
  method: 'post',
  path: '/schedules/pause',
  tag,
  summary: 'Pause all schedules. Runs that go on are not stopped.',
  body: { schema: schedulePauseSchema, example: { reason: 'incident' } },
  responses: { 200: json('All of them.', scheduleListSchema) },
  async handle(parts, { body, context }) {
    const { schedules } = parts.host.journal
    const paused = toPaused(requester(context, body), body.reason)
    const settings = readSettings(await schedules.settings())
    await schedules.saveSettings(toStored({ ...settings, paused }))
    parts.schedules?.wake()
    return ok(await listSchedules(parts, now()))
  },
})

const resumeAll = operation({
  id: 'resumeSchedules',
  method: 'post',
  path: '/schedules/resume',
  tag,
  summary: 'Resume all schedules that are not paused themselves, each with its next tick.',
  body: { schema: schedulePauseSchema, example: {} },
  responses: { 200: json('All of them.', scheduleListSchema) },
  async handle(parts) {
    await parts.host.journal.schedules.saveSettings({ resumedAtMs: now() })
    parts.schedules?.wake()
    return ok(await listSchedules(parts, now()))
  },
})

const hook = operation({
  id: 'callSchedule',
  method: 'post',
  path: '/hooks/{schedule}',
  tag,
  summary: 'Make a schedule due: a request that is signed as Standard Webhooks has it.',
  description:
    'Needs no token. The signature covers the headers webhook-id and webhook-timestamp, and the body, which is otherwise unused.',
  params: inSchedule,
  responses: {
    202: json(
      'It was accepted; false: it was accepted before, or the schedule is paused.',
      z.strictObject({ schedule: z.string(), accepted: z.boolean() }),
    ),
  },
  problems: [409],
  async handle({ host, schedules, log }, { params, context }) {
    const { raw } = context.req
    const body = await raw.text()
    const headers = Object.fromEntries(raw.headers)
    const place = { folder: host.folder, schedules: host.journal.schedules, nowMs: now() }
    const value = await acceptHook(place, params.schedule, { body, headers })
    log.info({ ...value }, 'webhook')
    schedules?.wake()
    return { status: 202, value }
  },
})

/** Resolves with its id. Rejects with `unknown-schedule`. */
async function change(
  { host, schedules }: DaemonParts,
  idOrName: string,
  to: (entry: Entry) => ScheduleState,
): Promise<string> {
  const { id } = await changeSchedule(host.journal.schedules, idOrName, to)
  schedules?.wake()
  return id
}

async function view({ host }: DaemonParts, idOrName: string): Promise<Schedule> {
  const store = host.journal.schedules
  const row = await store.find(idOrName)
  const entry = toEntry(row)
  if (entry === undefined) return viewUnreadable(row)
  const rows = await store.ticks(row.id, shownTicks)
  const ticks = rows.flatMap(({ body }) => readTick(body) ?? [])
  const settings = readSettings(await store.settings())
  return viewSchedule(entry, { nowMs: now(), settings, ticks })
}

const toPaused = (by: string, reason: string | undefined): Paused => ({
  atMs: now(),
  by,
  ...defined({ reason }),
})

/** The identity of the token, and what the request claims if that differs. */
function requester(
  { env }: { readonly env?: RequestBindings },
  { by }: { readonly by?: string },
): string {
  const { name, claimed } = toDecider(env?.principal, by)
  return claimed === undefined ? name : `${name} (as ${claimed})`
}

export const scheduleOperations: readonly Operation[] = [
  list,
  add,
  pauseAll,
  resumeAll,
  get,
  remove,
  pause,
  resume,
  run,
  hook,
]
