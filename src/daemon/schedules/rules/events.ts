/**
 * Events that make a schedule due. Pure.
 *
 * 1. An event waits until a run can be started for it. Events that come meanwhile are counted in it.
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
        : { ...waiting, merged: waiting.merged + 1 },
  }
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

/** Where the schedules that follow runs stopped reading. Undefined: there are none. */
export function firstPosition(
  schedules: readonly Pick<FollowingSchedule, 'definition' | 'state'>[],
): number | undefined {
  const seen = schedules.flatMap(({ definition, state }) =>
    definition.trigger.type === 'run' ? [Number(state.seen)] : [],
  )
  return seen.length === 0 ? undefined : Math.min(...seen)
}

interface FollowingSchedule {
  readonly definition: Pick<ScheduleDefinition, 'trigger'>
  readonly state: ScheduleState
}

/** Each is counted once: what was seen is saved with it. */
export function addEvents(
  state: ScheduleState,
  events: readonly EndedRun[],
  nowMs: number,
): { readonly state: ScheduleState } | undefined {
  const fresh = events.filter(({ position }) => position > Number(state.seen))
  const last = fresh.at(-1)
  if (last === undefined) return undefined
  let added: ScheduleState = { ...state, seen: String(last.position) }
  if (state.paused !== undefined) return { state: added }
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
