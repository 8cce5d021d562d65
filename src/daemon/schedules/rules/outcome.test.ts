import { describe, expect, test } from 'vitest'
import { fitCaps } from './caps.ts'
import { chainOf, tickAfter } from './events.ts'
import { findHindrance } from './hindrance.ts'
import {
  backOffMs,
  type RunEnd,
  recordEnd,
  recordFailure,
  recordSkip,
  recordStart,
} from './outcome.ts'
import type { Due, RunningTick, ScheduleState } from './schedule.ts'

const schedule = { alertAfter: 3, timeZone: 'UTC' }
const fresh: ScheduleState = { handledToMs: 0, failures: 0, blocked: 0 }
const minute = 60_000
const day = 24 * 60 * minute

const due = (number: number): Due => ({
  tick: `time:${number}`,
  kind: 'time',
  atMs: number,
  missed: 0,
})

const running = (number: number): RunningTick => ({
  tick: `time:${number}`,
  atMs: number,
  run: `id-${number}`,
  name: `run-${number}`,
  reserved: { tokens: 1000, costMicros: 5_000_000 },
  fingerprint: `print-${number}`,
})

function ended(state: ScheduleState, number: number, end: RunEnd): ReturnType<typeof recordEnd> {
  const started = recordStart(state, schedule, due(number), running(number)).state
  return recordEnd(started, schedule, running(number), end, number)
}

describe('failures', () => {
  test('alert once after as many as it says, and a run that works clears it', () => {
    const first = recordFailure(fresh, schedule, due(1), { reason: 'no key', nowMs: 1 })
    const second = ended(first.state, 2, { outcome: 'failed' })
    const third = ended(second.state, 3, { outcome: 'exhausted', reason: 'tokens' })
    const fourth = ended(third.state, 4, { outcome: 'stuck' })
    expect([first, second, third, fourth].map(({ alert }) => alert)).toEqual([
      undefined,
      undefined,
      'It failed 3 times in a row; the last time: run "run-3" ended: exhausted, tokens',
      undefined,
    ])
    const { state } = ended(fourth.state, 5, { outcome: 'completed' })
    expect(state).toMatchObject({ failures: 0, evidence: { run: 'id-5' } })
    expect(state).not.toHaveProperty('alert')
    expect(state).not.toHaveProperty('backOffToMs')
  })

  test('a run that a person ended is none', () => {
    expect(ended(fresh, 1, { outcome: 'cancelled' }).state.failures).toBe(0)
  })

  test('wait twice as long each time, six hours at most', () => {
    const minutes = [1, 2, 3, 4, 9, 10, 50].map((count) => backOffMs(count) / minute)
    expect(minutes).toEqual([1, 2, 4, 8, 256, 360, 360])
  })

  test('later ticks are skipped meanwhile; those that a person asks for are not', () => {
    const { state } = recordFailure(fresh, schedule, due(1), { reason: 'no key', nowMs: 0 })
    expect(findHindrance(state, due(2), minute - 1)).toMatchObject({ code: 'backing-off' })
    expect(findHindrance(state, due(2), minute)).toBeUndefined()
    expect(findHindrance(state, { ...due(2), kind: 'now' }, 1)).toBeUndefined()
    // The clock was ahead when it failed.
    expect(findHindrance({ ...state, backOffToMs: 400 * day }, due(2), 1)).toBeUndefined()
  })
})

describe('a run that goes on', () => {
  const started = recordStart(fresh, schedule, due(1), running(1)).state

  test('refuses later ticks, which are one record', () => {
    let state = started
    for (const number of [2, 3, 4]) {
      const skip = findHindrance(state, due(number), number)
      if (skip === undefined) throw new Error('it should be refused')
      const skipped = recordSkip(state, schedule, due(number), skip)
      expect(skipped.tick).toMatchObject({ tick: 'time:2', status: 'skipped', code: 'overlap' })
      state = skipped.state
    }
    expect(state.last).toMatchObject({ times: 3, reason: 'run "run-1" has not ended' })
    expect(state).not.toHaveProperty('alert')
  })

  test('alerts when it blocks many', () => {
    let state = started
    const alerts: (string | undefined)[] = []
    for (let number = 2; number < 20; number++) {
      const skip = { code: 'overlap', reason: 'run "run-1" has not ended' } as const
      const skipped = recordSkip(state, schedule, due(number), skip)
      alerts.push(skipped.alert)
      state = skipped.state
    }
    expect(alerts.filter((alert) => alert !== undefined)).toEqual([
      '10 ticks were skipped, because run "run-1" has not ended. See: loopctl inspect run-1',
    ])
    expect(
      recordEnd(state, schedule, running(1), { outcome: 'completed' }, 30).state,
    ).toMatchObject({ blocked: 0, failures: 0 })
  })
})

describe('daily caps', () => {
  const caps = { runs: 2, costMicros: 20_000_000, tokens: 10_000 }
  const now = { timeZone: 'UTC', nowMs: 12 * 60 * minute }
  const today = { date: '1970-01-01', runs: 1, tokens: 4000, costMicros: 12_000_000 }

  test('leave what earlier runs of the day did not spend, and reserve what running ones may', () => {
    expect(fitCaps(caps, [], now)).toEqual({ type: 'allowed', tokens: 10_000, costMicros: 2e7 })
    expect(fitCaps(caps, [{ ...fresh, today, running: running(1) }], now)).toEqual({
      type: 'allowed',
      tokens: 5000,
      costMicros: 3_000_000,
    })
    expect(fitCaps({}, [{ ...fresh, today }], now)).toEqual({ type: 'allowed' })
  })

  test('are reached by all schedules of the loop together', () => {
    const one = { ...fresh, today }
    expect(fitCaps(caps, [one, one], now)).toMatchObject({
      code: 'cap',
      reason: expect.stringContaining('2 runs'),
    })
    expect(fitCaps({ costMicros: 1e7 }, [one], now)).toMatchObject({
      reason: expect.stringContaining('$10'),
    })
    expect(fitCaps({ tokens: 8000 }, [one, one], now)).toMatchObject({
      reason: expect.stringContaining('8000 tokens'),
    })
  })

  test('begin again each day', () => {
    expect(fitCaps(caps, [{ ...fresh, today }], { ...now, nowMs: day })).toMatchObject({
      costMicros: 2e7,
    })
  })

  test('a run counts on the day on which it started, and what it spent when it ended', () => {
    const state = ended(fresh, 5, { outcome: 'completed', tokens: 7, costMicros: 9 }).state
    expect(state.today).toEqual({ date: '1970-01-01', runs: 1, tokens: 7, costMicros: 9 })
  })
})

test('runs that start each other by their ends are counted', () => {
  let tick = 'time:1'
  for (let number = 1; number <= 5; number++) tick = tickAfter(`r${number}`, tick)
  expect([tick, chainOf(tick)]).toEqual(['run:r5:5', 5])
  const event = { ...due(1), kind: 'event', tick } as const
  expect(findHindrance(fresh, event, 1)).toBeUndefined()
  const next = { ...event, tick: tickAfter('r6', tick) }
  expect(findHindrance(fresh, next, 1)).toMatchObject({ code: 'chain' })
  expect(chainOf('webhook:run:x:9')).toBe(0)
})
