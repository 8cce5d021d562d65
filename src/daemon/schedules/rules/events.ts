/**
 * Events that make a schedule due. Pure.
 *
 * 1. An event waits until a run can be started for it. Events that come before that run are counted in it.
 * 2. Runs that start each other by their ends are counted in their ticks: there are at most `chainMax` in a row.
 */

import type { EndedRun, ScheduleDefinition, ScheduleState } from './schedule.ts'

export const chainMax = 5

/** The tick after the end of a run, which another tick started. */
export const tickAfter = (run: string, started: string | undefined): string =>
  `run:${run}:${chainOf(started ?? '') + 1}`

/** How many runs were started by each other's ends. */
export const chainOf = (tick: string): number => Number(/^run:.*:(\d{1,6})$/.exec(tick)?.[1] ?? 0)

export function addEvent(state: ScheduleState, tick: string, nowMs: number): ScheduleState {
  const { waiting } = state
  return {
    ...state,
    waiting:
      waiting === undefined
        ? { tick, atMs: nowMs, merged: 0 }
        : { ...waiting, merged: waiting.merged + 1, newest: { tick, atMs: nowMs } },
  }
}

/** The event of a tick is over. One that came since `handledMs` still waits: the run of the tick may not have seen it. */
export function consumeEvent(
  { waiting, ...state }: ScheduleState,
  tick: string,
  handledMs: number,
): ScheduleState {
  const newest = waiting?.newest
  if (waiting === undefined) return state
  if (waiting.tick !== tick) return { ...state, waiting }
  if (newest === undefined || newest.atMs < handledMs) return state
  return { ...state, waiting: { ...newest, merged: 0 } }
}

/** The ends that a schedule waits for. */
export function findTriggers(
  { definition: { trigger } }: { readonly definition: Pick<ScheduleDefinition, 'trigger'> },
  ended: readonly EndedRun[],
): readonly EndedRun[] {
  if (trigger.type !== 'run') return []
  const { loop, outcomes } = trigger
  return ended.filter(
    (run) => run.loop === loop && (outcomes.length === 0 || outcomes.includes(run.outcome)),
  )
}

/** Up to which position of the journal a schedule consumed the ends of runs. Undefined: it has none, or it is damaged. */
export function cursorOf({ seen }: Pick<ScheduleState, 'seen'>): number | undefined {
  const position = seen === undefined ? undefined : Number(seen)
  return Number.isSafeInteger(position) ? position : undefined
}

interface Read {
  readonly nowMs: number
  /** All schedules are paused. */
  readonly isPaused: boolean
  /** Up to which the journal was read. */
  readonly position: number
  /** Without an event, the cursor is saved after so many positions. */
  readonly savedEvery: number
}

/** Each is counted once: the cursor is saved with it. Undefined: nothing is to be saved. */
export function addEvents(
  state: ScheduleState,
  events: readonly EndedRun[],
  { nowMs, isPaused, position, savedEvery }: Read,
): { readonly state: ScheduleState } | undefined {
  const cursor = cursorOf(state)
  const fresh = events.filter((event) => event.position > (cursor ?? position))
  const isBehind = position - (cursor ?? -Infinity) >= savedEvery
  if (fresh.length === 0 && !isBehind) return undefined
  let added: ScheduleState = { ...state, seen: String(position) }
  if (state.paused !== undefined || isPaused) return { state: added }
  for (const { tick } of fresh) added = addEvent(added, tick, nowMs)
  return { state: added }
}

interface Sight {
  readonly sight: string
  readonly tick: string
  readonly nowMs: number
  /** All schedules are paused. */
  readonly isPaused: boolean
}

/** What it saw first is not an event, nor is what changes while it is paused. */
export function addSight(
  state: ScheduleState,
  { sight, tick, nowMs, isPaused }: Sight,
): ScheduleState {
  const seen = { ...state, seen: sight }
  const isEvent = state.seen !== undefined && state.paused === undefined && !isPaused
  return isEvent ? addEvent(seen, tick, nowMs) : seen
}
