import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseActiveHours } from './active-hours.ts'
import { parseCadence } from './cadence.ts'

const minute = 60_000

describe('cadences', () => {
  test.each([
    ['daily 09:00', '0 9 * * *'],
    ['daily 9:05', '5 9 * * *'],
    ['DAILY 00:00', '0 0 * * *'],
    ['weekly mon 09:30', '30 9 * * 1'],
    ['weekly Monday 09:30', '30 9 * * 1'],
    ['weekly sun 23:59', '59 23 * * 0'],
    ['0 9 * * 1-5', '0 9 * * 1-5'],
    ['  */15  8-18 * JAN,FEB MON#1 ', '*/15 8-18 * JAN,FEB MON#1'],
    ['@Daily', '@daily'],
  ])('%s', (text, expression) => {
    expect(parseCadence(text)).toEqual({ type: 'cron', expression })
  })

  test.each([
    ['every 10s', 10_000],
    ['every 10m', 10 * minute],
    ['every 2h', 120 * minute],
    ['every 366d', 366 * 24 * 60 * minute],
  ])('%s', (text, everyMs) => {
    expect(parseCadence(text)).toEqual({ type: 'interval', everyMs })
  })

  test.each([
    ['', 'format'],
    ['daily', 'format'],
    ['daily 09:00 10:00', 'format'],
    ['weekly 09:00', 'format'],
    ['every 10 m', 'format'],
    ['hourly', 'format'],
    ['* * * * * *', 'format'],
    ['0 9 * * $(rm)', 'format'],
    [`daily ${'0'.repeat(500)}`, 'format'],
    ['daily 24:00', 'bad-time'],
    ['daily 9', 'bad-time'],
    ['daily 09:60', 'bad-time'],
    ['weekly mon 9.00', 'bad-time'],
    ['weekly someday 09:00', 'bad-weekday'],
    ['weekly mond 09:00', 'bad-weekday'],
    ['every 0m', 'bad-interval'],
    ['every 10', 'bad-interval'],
    ['every 10w', 'bad-interval'],
    ['every -1m', 'bad-interval'],
    ['every 367d', 'bad-interval'],
  ])('%s is refused: %s', (text, kind) => {
    expect(parseCadence(text)).toMatchObject({ kind, message: expect.any(String) })
  })

  test('any text is a cadence or a problem', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = parseCadence(text)
        expect('kind' in read || 'type' in read).toBe(true)
      }),
    )
  })
})

test.each([
  ['09:00-17:00', { days: [0, 1, 2, 3, 4, 5, 6], from: 540, to: 1020 }],
  ['mon-fri 9:00-17:30', { days: [1, 2, 3, 4, 5], from: 540, to: 1050 }],
  ['sat,sun 22:00-06:00', { days: [0, 6], from: 1320, to: 360 }],
  ['fri-mon 08:00-24:00', { days: [0, 1, 5, 6], from: 480, to: 1440 }],
  ['', undefined],
  ['9-17', undefined],
  ['mon-fri', undefined],
  ['work 09:00-17:00', undefined],
  ['09:00-09:00', undefined],
  ['24:00-10:00', undefined],
  ['09:00-24:30', undefined],
  ['mon-tue-wed 09:00-17:00', undefined],
])('active hours: %s', (text, expected) => {
  expect(parseActiveHours(text)).toEqual(expected)
})
