/**
 * What the end of a tick changes: in the state of its schedule, and in the record of the tick. Pure.
 *
 * 1. Ticks that were skipped one after another for the same reason are one record, which counts them.
 * 2. After each failure, later ticks are skipped for twice as long. An event waits instead.
 * 3. An alert is raised once, after `alertAfter` failures in a row, or when as many ticks were skipped because of one run.
 *    The next run that works clears it.
 */

import { plural } from '../../../loop/excerpt/plural.ts'
import { defined, type OutcomeType } from '../../../loop/index.ts'
import type { ScheduleTick } from '../../../protocol/api/index.ts'
import { spendToday, startToday } from './caps.ts'
import type { Due, RunningTick, ScheduleDefinition, ScheduleState, Skip } from './schedule.ts'
import { wallTime } from './zone-time.ts'

export interface Recorded {
  readonly state: ScheduleState
  readonly tick: ScheduleTick
  /** Raised just now. */
  readonly alert?: string
}

const backOffFirstMs = 60_000
export const backOffMsMax: number = 6 * 3_600_000

export const backOffMs = (failures: number): number =>
  Math.min(backOffMsMax, backOffFirstMs * 2 ** Math.min(failures - 1, 20))

export function recordStart(
  state: ScheduleState,
  { timeZone }: Pick<ScheduleDefinition, 'timeZone'>,
  due: Due,
  running: RunningTick,
): Recorded {
  const { lastSkip: _skip, ...rest } = state
  const today = startToday(state, wallTime(timeZone, running.atMs).date)
  const tick: ScheduleTick = {
    tick: due.tick,
    atMs: running.atMs,
    status: 'started',
    run: running.run,
    name: running.name,
    ...missedIn(due),
  }
  return { tick, state: { ...rest, today, running, blocked: 0, last: tick } }
}

export function recordSkip(
  state: ScheduleState,
  { alertAfter }: Pick<ScheduleDefinition, 'alertAfter'>,
  due: Due,
  { code, reason }: Skip,
): Recorded {
  const { lastSkip } = state
  const isSame = lastSkip?.code === code && lastSkip.reason === reason
  const times = (isSame ? (lastSkip.times ?? 1) : 0) + 1
  const tick: ScheduleTick = {
    tick: isSame ? lastSkip.tick : due.tick,
    atMs: due.atMs,
    status: 'skipped',
    code,
    reason,
    ...missedIn(due),
    ...(times > 1 ? { times } : {}),
  }
  const blocked = code === 'overlap' ? state.blocked + 1 : state.blocked
  const next = { ...state, blocked, lastSkip: tick, last: tick }
  const isBlocked = blocked >= Math.max(alertAfter, blockedMin) && state.running !== undefined
  if (!isBlocked || state.alert !== undefined) return { state: next, tick }
  const alert = `${plural(blocked, 'tick')} were skipped, because run "${state.running.name}" has not ended. See: loopctl inspect ${state.running.name}`
  return { tick, state: { ...next, alert: { atMs: due.atMs, reason: alert } }, alert }
}

/** A long run overlaps often; that alone is not a problem. */
const blockedMin = 10

/** It could not start a run. */
export function recordFailure(
  state: ScheduleState,
  definition: Pick<ScheduleDefinition, 'alertAfter'>,
  due: Due,
  { reason, nowMs }: { readonly reason: string; readonly nowMs: number },
): Recorded {
  const { lastSkip: _skip, ...rest } = state
  const tick: ScheduleTick = {
    tick: due.tick,
    atMs: nowMs,
    status: 'failed',
    reason,
    ...missedIn(due),
  }
  return afterFailure({ ...rest, last: tick }, tick, definition, reason, nowMs)
}

/** Ends that say something about the work, so that the same work would end in the same way. */
const byItself: ReadonlySet<string> = new Set<OutcomeType>([
  'completed',
  'stuck',
  'exhausted',
  'denied',
])
const failures: ReadonlySet<string> = new Set<OutcomeType>([
  'failed',
  'stuck',
  'exhausted',
  'denied',
])

export interface RunEnd {
  /** `removed`: the run is gone. */
  readonly outcome: string
  /** Why, if it failed. */
  readonly reason?: string
  readonly tokens?: number
  readonly costMicros?: number
}

/** The run of a tick has ended. */
export function recordEnd(
  { running: _running, ...state }: ScheduleState,
  definition: Pick<ScheduleDefinition, 'alertAfter' | 'timeZone'>,
  running: RunningTick,
  { reason, ...end }: RunEnd,
  nowMs: number,
): Recorded {
  const { tick: id, atMs, run, name, missed, fingerprint } = running
  const tick: ScheduleTick = {
    tick: id,
    atMs,
    status: 'ended',
    run,
    name,
    ...defined({ missed, reason }),
    ...end,
  }
  const evidence =
    fingerprint !== undefined && byItself.has(end.outcome)
      ? { evidence: { fingerprint, run, name } }
      : {}
  const { tokens = 0, costMicros = 0 } = end
  const { date } = wallTime(definition.timeZone, nowMs)
  const today = spendToday(state, date, { tokens, costMicros })
  const next = {
    ...state,
    ...evidence,
    today,
    blocked: 0,
    ...(isLater(state.last, id) ? {} : { last: tick }),
  }
  if (failures.has(end.outcome)) {
    const why = `run "${name}" ended: ${end.outcome}${reason === undefined ? '' : `, ${reason}`}`
    return afterFailure(next, tick, definition, why, nowMs)
  }
  if (end.outcome !== 'completed') return { state: next, tick }
  const { alert: _alert, backOffToMs: _backOff, ...cleared } = next
  return { state: { ...cleared, failures: 0 }, tick }
}

/** A tick that was skipped meanwhile stays the last one. */
const isLater = (last: ScheduleTick | undefined, tick: string): boolean =>
  last !== undefined && last.tick !== tick && last.status !== 'started'

function afterFailure(
  state: ScheduleState,
  tick: ScheduleTick,
  { alertAfter }: Pick<ScheduleDefinition, 'alertAfter'>,
  reason: string,
  nowMs: number,
): Recorded {
  const count = state.failures + 1
  const next = { ...state, failures: count, backOffToMs: nowMs + backOffMs(count) }
  if (count < alertAfter || state.alert !== undefined) return { state: next, tick }
  const alert = `It failed ${count} ${count === 1 ? 'time' : 'times in a row'}; the last time: ${reason}`
  return { tick, state: { ...next, alert: { atMs: nowMs, reason: alert } }, alert }
}

const missedIn = ({ missed }: Due): { readonly missed?: number } => (missed > 0 ? { missed } : {})
