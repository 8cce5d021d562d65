/**
 * When a schedule is due, and what a tick changes. Pure.
 *
 * 1. A tick is known by what made it due, so that one that was interrupted is the same tick when it is repeated.
 * 2. Moments that were missed are one tick: the first of them, which counts the others.
 * 3. A clock that goes back by less than a day starts nothing again: those moments were handled. One that goes back
 *    further was wrong before: the schedule continues from what the clock shows now.
 * 4. An interval never waits longer than itself.
 * 5. Pausing loses moments: after it, the schedule continues with the next one.
 */

import { defined } from '../../../loop/index.ts'
import type { Cadence } from '../../../protocol/schedule/cadence.ts'
import { consumeEvent } from './events.ts'
import type { Due, ScheduleState } from './schedule.ts'
import type { Timetable } from './timetable.ts'

const clockBackMsMax = 24 * 3_600_000

export interface DueRules {
  /** Undefined: it is due after events only. */
  readonly timetable: Timetable | undefined
  readonly cadence: Cadence | undefined
}

/** Before its first tick. */
export function firstState(
  { timetable }: DueRules,
  { nowMs, fromNext }: { readonly nowMs: number; readonly fromNext: boolean },
): ScheduleState {
  const nextAtMs = fromNext ? timetable?.after(nowMs) : nowMs
  return {
    handledToMs: nowMs,
    failures: 0,
    blocked: 0,
    ...(timetable === undefined ? {} : defined({ nextAtMs })),
  }
}

/** The same state unless the clock went back, or all schedules were paused (`resumedAtMs`). Save what it returns. */
export function align(
  state: ScheduleState,
  { timetable, cadence }: DueRules,
  nowMs: number,
  resumedAtMs = 0,
): ScheduleState {
  const { nextAtMs, handledToMs } = state
  if (timetable === undefined) return state
  if (nextAtMs !== undefined && nextAtMs <= resumedAtMs && handledToMs < resumedAtMs) {
    return continueFrom(state, timetable, resumedAtMs)
  }
  if (nowMs < handledToMs - clockBackMsMax) return continueFrom(state, timetable, nowMs)
  if (nowMs < handledToMs && nextAtMs !== undefined && cadence?.type === 'interval') {
    const soonestMs = timetable.opens(nowMs + cadence.everyMs)
    if (soonestMs < nextAtMs) return { ...state, nextAtMs: soonestMs }
  }
  return state
}

export function continueFrom(
  { nextAtMs: _before, ...state }: ScheduleState,
  timetable: Timetable | undefined,
  nowMs: number,
): ScheduleState {
  const nextAtMs = timetable?.after(nowMs)
  return { ...state, handledToMs: nowMs, ...defined({ nextAtMs }) }
}

/** When something is to be done; undefined: not by itself. Later than `nextAtMs` outside of the active hours. */
export function dueAtMs(
  { nextAtMs, waiting, asked, paused }: ScheduleState,
  { timetable }: DueRules,
  nowMs: number,
): number | undefined {
  if (asked !== undefined) return nowMs
  if (paused !== undefined) return undefined
  if (waiting !== undefined) return timetable?.opens(nowMs) ?? nowMs
  if (nextAtMs === undefined) return undefined
  return nextAtMs > nowMs ? nextAtMs : timetable?.opens(nowMs)
}

/** What is due now, if anything. */
export function findDue(state: ScheduleState, rules: DueRules, nowMs: number): Due | undefined {
  const atMs = dueAtMs(state, rules, nowMs)
  if (atMs === undefined || atMs > nowMs) return undefined
  const { asked, waiting, nextAtMs = nowMs } = state
  if (asked !== undefined) return { kind: 'now', ...asked, missed: 0 }
  if (waiting !== undefined) {
    const { tick, merged, atMs: cameAtMs } = waiting
    return { kind: 'event', tick, atMs: cameAtMs, missed: merged }
  }
  const missed = rules.timetable?.count(nextAtMs, nowMs) ?? 0
  return { kind: 'time', tick: `time:${nextAtMs}`, atMs: nextAtMs, missed }
}

/** The tick is over: started, skipped or failed. A run that a person asked for changes nothing else. */
export function consume(
  state: ScheduleState,
  due: Due,
  { timetable }: DueRules,
  nowMs: number,
): ScheduleState {
  if (due.kind === 'now') {
    const { asked: _asked, ...rest } = state
    return rest
  }
  if (due.kind === 'event') return consumeEvent(state, due.tick, nowMs)
  return continueFrom(state, timetable, Math.max(nowMs, due.atMs))
}
