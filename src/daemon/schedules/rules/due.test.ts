import { describe, expect, test } from 'vitest'
import { isCadenceProblem, parseCadence } from '../../../protocol/schedule/cadence.ts'
import { align, consume, type DueRules, findDue, firstState } from './due.ts'
import type { ScheduleState } from './schedule.ts'
import { createTimetable } from './timetable.ts'

const at = (text: string): number => Date.parse(text)
const minute = 60_000
const day = 24 * 60 * minute
const createdMs = at('2026-03-02T08:00Z')

function rulesOf(text: string): DueRules {
  const cadence = parseCadence(text)
  if (isCadenceProblem(cadence)) throw new Error(cadence.message)
  return { cadence, timetable: createTimetable({ cadence, timeZone: 'UTC', anchorMs: createdMs }) }
}

const daily = rulesOf('daily 09:00')
const often = rulesOf('every 10m')
const newOne = (rules: DueRules, fromNext = true): ScheduleState =>
  firstState(rules, { nowMs: createdMs, fromNext })

/** Handles what is due, without a run. */
function handled(state: ScheduleState, rules: DueRules, nowMs: number): ScheduleState {
  const due = findDue(state, rules, nowMs)
  if (due === undefined) throw new Error('nothing is due')
  return consume(state, due, rules, nowMs)
}

describe('a new schedule', () => {
  test('is due at once', () => {
    const tick = `time:${createdMs}`
    expect(findDue(newOne(daily, false), daily, createdMs)).toMatchObject({ tick, missed: 0 })
  })

  test('waits for its first time if it should', () => {
    expect(findDue(newOne(daily), daily, createdMs)).toBeUndefined()
    expect(newOne(daily).nextAtMs).toBe(at('2026-03-02T09:00Z'))
  })
})

test('missed ticks are one tick, which counts the others', () => {
  const nowMs = at('2026-03-05T12:00Z')
  const due = findDue(newOne(daily), daily, nowMs)
  expect(due).toMatchObject({ tick: `time:${at('2026-03-02T09:00Z')}`, missed: 3 })
  expect(handled(newOne(daily), daily, nowMs).nextAtMs).toBe(at('2026-03-06T09:00Z'))
})

describe('a clock that jumps', () => {
  const after = handled(newOne(daily), daily, at('2026-03-02T09:00Z'))

  test('back by two hours starts nothing a second time', () => {
    const back = at('2026-03-02T07:00Z')
    expect(align(after, daily, back)).toBe(after)
    expect(findDue(after, daily, at('2026-03-02T09:30Z'))).toBeUndefined()
  })

  test('ahead by ten years runs once, and back again continues from the right time', () => {
    const ahead = handled(after, daily, at('2036-03-02T10:00Z'))
    expect(ahead.nextAtMs).toBe(at('2036-03-03T09:00Z'))
    const right = align(ahead, daily, at('2026-03-02T10:05Z'))
    expect(right.nextAtMs).toBe(at('2026-03-03T09:00Z'))
  })

  test('to 1970 does not stop it', () => {
    expect(align(after, daily, 0).nextAtMs).toBe(9 * 60 * minute)
  })

  test('back never makes an interval longer', () => {
    const state = handled(newOne(often), often, createdMs + 10 * minute)
    const back = createdMs - 120 * minute
    expect(align(state, often, back).nextAtMs).toBe(back + 10 * minute)
    expect(align(state, often, createdMs + 11 * minute)).toBe(state)
  })
})

test('after all were resumed, moments of the pause are not due', () => {
  const resumedMs = createdMs + 3 * day + minute
  const state = align(newOne(daily), daily, resumedMs, resumedMs)
  expect(findDue(state, daily, resumedMs)).toBeUndefined()
  expect(state.nextAtMs).toBe(at('2026-03-05T09:00Z'))
  expect(align(state, daily, resumedMs + day, resumedMs)).toBe(state)
})

test('a paused schedule is not due, unless a person asks', () => {
  const paused = { ...newOne(daily, false), paused: { atMs: createdMs, by: 'ann' } }
  expect(findDue(paused, daily, createdMs + day)).toBeUndefined()
  const asked = { ...paused, asked: { tick: 'now:1', atMs: createdMs } }
  expect(findDue(asked, daily, createdMs)).toMatchObject({ kind: 'now', tick: 'now:1' })
  expect(handled(asked, daily, createdMs)).toEqual(paused)
})
