import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ModelTime, modelMoments } from '../../../../test/schedules/clock-model.ts'
import { parseActiveHours } from '../../../protocol/schedule/active-hours.ts'
import { type Cadence, isCadenceProblem, parseCadence } from '../../../protocol/schedule/cadence.ts'
import { createTimetable, type Timetable } from './timetable.ts'

function cadenceOf(text: string): Cadence {
  const read = parseCadence(text)
  if (isCadenceProblem(read)) throw new Error(read.message)
  return read
}

const timetable = (text: string, timeZone = 'UTC', hours?: string): Timetable =>
  createTimetable({
    cadence: cadenceOf(text),
    timeZone,
    anchorMs: 0,
    activeHours: hours === undefined ? undefined : parseActiveHours(hours),
  })

/** The next ones after a moment. */
function next(text: string, timeZone: string, from: string, count: number): readonly string[] {
  const { after } = timetable(text, timeZone)
  const found: string[] = []
  for (let at = Date.parse(from); found.length < count; ) {
    at = after(at) ?? Number.NaN
    found.push(new Date(at).toISOString().slice(0, 16))
  }
  return found
}

describe('a time that the clocks skip is due once, right after it', () => {
  test.each([
    ['daily 02:30', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    [
      'daily 02:30',
      'America/New_York',
      '2026-03-08T05:00Z',
      ['2026-03-08T07:00', '2026-03-09T06:30'],
    ],
    [
      'daily 02:15',
      'Australia/Lord_Howe',
      '2026-10-03T12:00Z',
      ['2026-10-03T15:30', '2026-10-04T15:15'],
    ],
    // A list of times within the gap: all of them at once, where croner drops them.
    [
      '0,30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:00'],
    ],
    ['0 3 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T01:00']],
  ])('%s in %s', (text, zone, from, expected) => {
    expect(next(text, zone, from, expected.length)).toEqual(expected)
  })
})

describe('a time that the clocks show twice is due once, the first time', () => {
  test.each([
    ['daily 02:30', 'Europe/Berlin', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    [
      'daily 01:30',
      'America/New_York',
      '2026-11-01T04:00Z',
      ['2026-11-01T05:30', '2026-11-02T06:30'],
    ],
    [
      'daily 01:45',
      'Australia/Lord_Howe',
      '2026-04-04T12:00Z',
      ['2026-04-04T14:45', '2026-04-05T15:15'],
    ],
    // A range of hours, which croner repeats.
    [
      '30 1-3 * * *',
      'Europe/Berlin',
      '2026-10-24T23:00Z',
      ['2026-10-24T23:30', '2026-10-25T00:30', '2026-10-25T02:30'],
    ],
  ])('%s in %s', (text, zone, from, expected) => {
    expect(next(text, zone, from, expected.length)).toEqual(expected)
  })

  test('from within the second hour, the next one is after it', () => {
    expect(next('daily 02:30', 'Europe/Berlin', '2026-10-25T01:10Z', 1)).toEqual([
      '2026-10-26T01:30',
    ])
  })
})

test('a rhythm goes on while the clocks are changed', () => {
  expect(next('*/30 * * * *', 'Europe/Berlin', '2026-10-25T00:00Z', 4)).toEqual([
    '2026-10-25T00:30',
    '2026-10-25T01:00',
    '2026-10-25T01:30',
    '2026-10-25T02:00',
  ])
  expect(next('15 * * * *', 'Europe/Berlin', '2026-03-29T00:00Z', 2)).toEqual([
    '2026-03-29T00:15',
    '2026-03-29T01:15',
  ])
})

test('an interval is real time, counted from its anchor', () => {
  const { after, count } = timetable('every 7h', 'Europe/Berlin')
  const hour = 3_600_000
  expect([after(0), after(7 * hour - 1), after(7 * hour)]).toEqual(
    [7, 7, 14].map((at) => at * hour),
  )
  expect(count(0, 70 * hour)).toBe(10)
  expect(count(0, 1e15)).toBe(1000)
})

test('what is never due has no next moment', () => {
  expect(timetable('0 0 30 2 *').after(0)).toBeUndefined()
  expect(timetable('daily 09:00', 'UTC', '10:00-17:00').after(0)).toBeUndefined()
})

test.each(['60 * * * *', '0 25 * * *', '* * 0 * *', 'a b c d e'])('%s is refused', (text) => {
  expect(() => timetable(text)).toThrow('is not a cron expression')
})

describe('active hours', () => {
  const at = (text: string): number => Date.parse(text)
  const work = timetable('every 1h', 'Europe/Berlin', 'mon-fri 09:00-17:00')

  test('outside of them nothing is due, and the first one when they begin', () => {
    // 2026-01-02 is a Friday; Berlin is one hour ahead of UTC.
    expect(work.after(at('2026-01-02T15:30Z'))).toBe(at('2026-01-05T08:00Z'))
    expect(work.after(at('2026-01-05T08:00Z'))).toBe(at('2026-01-05T09:00Z'))
    expect(work.opens(at('2026-01-02T15:59Z'))).toBe(at('2026-01-02T15:59Z'))
    expect(work.opens(at('2026-01-02T16:00Z'))).toBe(at('2026-01-05T08:00Z'))
  })

  test('they may pass midnight', () => {
    const night = timetable('every 1h', 'UTC', 'fri 22:00-06:00')
    expect(night.after(at('2026-01-02T12:00Z'))).toBe(at('2026-01-02T22:00Z'))
    expect(night.after(at('2026-01-03T04:30Z'))).toBe(at('2026-01-03T05:00Z'))
    expect(night.after(at('2026-01-03T05:00Z'))).toBe(at('2026-01-09T22:00Z'))
  })

  test('a short interval does not make the search long', () => {
    const seconds = timetable('every 1s', 'UTC', 'mon 09:00-09:01')
    expect(seconds.after(at('2026-01-05T09:01Z'))).toBe(at('2026-01-12T09:00Z'))
  })
})

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'UTC',
  'Africa/Casablanca',
]

test('any time of any day agrees with a clock that is read minute by minute', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: Date.parse('2025-01-01'), max: Date.parse('2028-01-01') }),
      fc.array(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 3 }),
      fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 3 }),
      (zone, ms, minutes, hours) => {
        const fromMs = Math.floor(ms / 60_000) * 60_000
        const expression = `${minutes.join(',')} ${hours.join(',')} * * *`
        const wanted = ({ minute, hour }: ModelTime): boolean =>
          minutes.includes(minute) && hours.includes(hour)
        const toMs = fromMs + 3 * 86_400_000
        const expected = modelMoments(zone, wanted, { fromMs, toMs })
        const { after } = timetable(expression, zone)
        const found: number[] = []
        for (let at = after(fromMs); at !== undefined && at <= toMs; at = after(at)) found.push(at)
        expect(found).toEqual(expected)
      },
    ),
    { numRuns: 25 },
  )
})
