/**
 * Requests that make a schedule due, signed as Standard Webhooks has it.
 *
 * 1. Without a valid signature nothing is revealed, not even whether there is such a schedule.
 * 2. A request counts once: its time must be within five minutes, and its id is kept for longer than that.
 * 3. E10. It is on disk before it is acknowledged.
 * 4. What it contains is signed and otherwise unused: it never reaches a prompt.
 */

import { createHash, createHmac } from 'node:crypto'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import type { Schedules } from '../../engine/index.ts'
import { isLoopError, LoopError } from '../../loop/index.ts'
import { makeToken } from '../token-file.ts'
import { changeSchedule, type Entry, toEntry } from './book.ts'
import { addEvent } from './rules/events.ts'
import type { ScheduleState } from './rules/schedule.ts'

export interface HookRequest {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface HookParts {
  /** The state folder. */
  readonly folder: string
  readonly schedules: Schedules
  readonly nowMs: number
}

export interface AcceptedHook {
  readonly schedule: string
  /** False: it was accepted before, or the schedule is paused. */
  readonly accepted: boolean
}

/** Longer than the tolerance of the signature, before and after now. */
const keptMs = 11 * 60_000
const keptMax = 200
const idCharsMax = 256

/** Derived, so that it is stored nowhere: from a key of the state folder that only its owner can read. */
export function hookSecret(folder: string, id: string): string {
  const key = makeToken(join(folder, 'daemon', 'hook-key'))
  const secret = createHmac('sha256', key).update(`schedule ${id}`).digest('base64')
  return `whsec_${secret}`
}

/** Rejects with `no-token` if it is not signed for this schedule. */
export async function acceptHook(
  { folder, schedules, nowMs }: HookParts,
  name: string,
  { body, headers }: HookRequest,
): Promise<AcceptedHook> {
  const entry = await findHook(schedules, name)
  requireSigned(hookSecret(folder, entry?.id ?? ''), body, headers)
  if (entry === undefined) throw notSigned()
  const id = toKey(headers['webhook-id'] ?? '')
  let accepted = false
  await changeSchedule(schedules, entry.id, ({ state }) => {
    const added = addHook(state, id, nowMs)
    accepted = added !== state && state.paused === undefined
    return added
  })
  return { schedule: entry.name, accepted }
}

async function findHook(schedules: Schedules, name: string): Promise<Entry | undefined> {
  try {
    const entry = toEntry(await schedules.find(name))
    return entry?.definition.trigger.type === 'webhook' ? entry : undefined
  } catch (error) {
    if (isLoopError(error, 'unknown-schedule')) return undefined
    throw error
  }
}

function requireSigned(secret: string, body: string, headers: HookRequest['headers']): void {
  try {
    new Webhook(secret).verify(body, headers)
  } catch {
    throw notSigned()
  }
}

const notSigned = (): LoopError =>
  new LoopError(
    'no-token',
    'The request is not signed for a schedule of this daemon. Sign it as Standard Webhooks has it, with the secret that "loopctl schedule add --on-webhook" printed, and check the clock.',
  )

/** An id has any length; what is stored is bounded, and still differs if the id does. */
const toKey = (id: string): string =>
  id.length <= idCharsMax ? id : `sha256:${createHash('sha256').update(id).digest('hex')}`

/** The same state if it is known. */
function addHook(state: ScheduleState, id: string, nowMs: number): ScheduleState {
  const kept = (state.hooks ?? []).filter(({ atMs }) => Math.abs(nowMs - atMs) < keptMs)
  if (kept.some((hook) => hook.id === id)) return state
  if (kept.length >= keptMax) {
    const message = `There were ${keptMax} requests in ${keptMs / 60_000} minutes. Send it again later.`
    throw new LoopError('wrong-status', message)
  }
  const hooks = [...kept, { id, atMs: nowMs }]
  if (state.paused !== undefined) return { ...state, hooks }
  return addEvent({ ...state, hooks }, `webhook:${id}`, nowMs)
}
