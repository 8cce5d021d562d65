/**
 * Daily caps. Pure. They hold for all scheduled runs of a loop on one day of the schedule's zone: a run is created only
 * with limits that fit in what is left, so that the caps are exceeded by at most one call (E4).
 */

import { defined } from '../../../loop/index.ts'
import type { DailyCaps } from '../../../protocol/api/index.ts'
import type { DayTally, ScheduleState, Skip, Spent } from './schedule.ts'
import { wallTime } from './zone-time.ts'

/** What may be spent, or why nothing. Absent: no cap limits it. */
export type Allowance = { readonly type: 'allowed' } & Partial<Spent>

const nothing: DayTally = { date: '', runs: 0, tokens: 0, costMicros: 0 }

/** `states`: those of all schedules of the loop. */
export function fitCaps(
  caps: DailyCaps,
  states: readonly ScheduleState[],
  { timeZone, nowMs }: { readonly timeZone: string; readonly nowMs: number },
): Allowance | Skip {
  const { date } = wallTime(timeZone, nowMs)
  const used = states.reduce((sum, state) => addState(sum, state, date), nothing)
  if (caps.runs !== undefined && used.runs >= caps.runs) {
    return reached(`${caps.runs} ${caps.runs === 1 ? 'run' : 'runs'}`)
  }
  const tokens = left(caps.tokens, used.tokens)
  if (tokens === 0) return reached(`${caps.tokens} tokens`)
  const costMicros = left(caps.costMicros, used.costMicros)
  if (costMicros === 0) return reached(`$${(caps.costMicros ?? 0) / 1_000_000}`)
  return { type: 'allowed', ...defined({ tokens, costMicros }) }
}

export const startToday = (state: ScheduleState, date: string): DayTally =>
  addToday(state, date, { runs: 1, tokens: 0, costMicros: 0 })

export const spendToday = (state: ScheduleState, date: string, spent: Spent): DayTally =>
  addToday(state, date, { runs: 0, ...spent })

function addToday({ today }: ScheduleState, date: string, more: Omit<DayTally, 'date'>): DayTally {
  const before = today?.date === date ? today : nothing
  return { ...add(before, more), date }
}

/** A run that has not ended counts with all that it may spend, whenever it started. */
function addState(sum: DayTally, { today, running }: ScheduleState, date: string): DayTally {
  const counted = today?.date === date ? add(sum, today) : sum
  return running === undefined ? counted : add(counted, { runs: 0, ...running.reserved })
}

const add = (one: DayTally, other: Omit<DayTally, 'date'>): DayTally => ({
  date: one.date,
  runs: one.runs + other.runs,
  tokens: one.tokens + other.tokens,
  costMicros: one.costMicros + other.costMicros,
})

const left = (cap: number | undefined, used: number): number | undefined =>
  cap === undefined ? undefined : Math.max(0, cap - used)

const reached = (what: string): Skip => ({
  code: 'cap',
  reason: `the daily cap of the loop is reached (${what})`,
})
