import { describe, expect, test } from 'vitest'
import type { LevelSetting, RunId } from '../../loop/index.ts'
import { defaultBars } from './bars.ts'
import { findStanding, type Known, trialsMax } from './standing.ts'
import type { Trial } from './trials.ts'

const trials = (successes: number, failures = 0): readonly Trial[] =>
  Array.from({ length: successes + failures }, (_, at) => ({
    run: `${at}` as RunId,
    name: `${at}`,
    atMs: at,
    isSuccess: at >= failures,
  }))

const measured = { what: 'the checker', falseAcceptsHigh: 0.16 }

const standing = (fields: Partial<Known> & { readonly setting?: LevelSetting }) =>
  findStanding({ trials: [], bars: defaultBars, calibration: measured, ...fields })

describe('the standing of a loop', () => {
  test('with level: earned, level 2 is earned by ten verified rounds in a row, and not by nine', () => {
    const nine = standing({ setting: 'earned', trials: trials(9) })
    expect(nine).toMatchObject({ level: 1, next: 2, isEarned: false })
    expect(nine.missing[0]).toBe('9 of 10 finished rounds')
    const ten = standing({ setting: 'earned', trials: trials(10) })
    expect(ten).toMatchObject({ level: 1, next: 2, missing: [], isEarned: true })
    expect(ten.evidence.lower).toBeCloseTo(0.741, 3)
  })

  test('a failure among them takes more rounds', () => {
    expect(standing({ setting: 'earned', trials: trials(9, 1) }).missing).toHaveLength(1)
    expect(standing({ setting: 'earned', trials: trials(14, 1) }).isEarned).toBe(true)
  })

  test('level 3 is never earned, whatever the evidence is', () => {
    for (const setting of ['earned', 3] as const) {
      const found = standing({ setting, stored: 2, trials: trials(200) })
      expect(found).toMatchObject({ level: 2, next: 3, missing: [], isEarned: false })
    }
  })

  test('a number in the loop file is a ceiling, and evidence only proposes', () => {
    expect(standing({ setting: 3, stored: 1, trials: trials(30) })).toMatchObject({
      level: 1,
      next: 2,
      missing: [],
      isEarned: false,
    })
    expect(standing({ setting: 2, trials: trials(100) }).missing).toEqual([
      'the loop file allows level 2 at most',
    ])
    expect(standing({ setting: 3, trials: trials(100) })).toMatchObject({ level: 3, missing: [] })
  })

  test('a checker that was not measured, or accepts too much, stops it', () => {
    const all = { setting: 'earned', trials: trials(200) } as const
    const unknown = standing({ ...all, calibration: { what: 'the checker' } })
    expect(unknown).toMatchObject({ isEarned: false })
    expect(unknown.missing[0]).toMatch(/the checker was not measured .*loopctl calibrate/)
    const yes = { what: 'the checker', falseAcceptsHigh: 1 }
    expect(standing({ ...all, calibration: yes })).toMatchObject({
      isEarned: false,
      missing: [
        'the checker may accept 100 % of planted defects, and at most 20 % may be accepted',
      ],
    })
  })

  test('only the newest rounds count', () => {
    // The failures are the oldest ones.
    const found = standing({ setting: 'earned', trials: trials(trialsMax, 50) })
    expect(found.evidence).toMatchObject({ trials: trialsMax, successes: trialsMax })
  })

  test('the bars are configurable', () => {
    const bars = { ...defaultBars, confidence: 0.99, 2: { bar: 0.5, minimum: 3 } }
    expect(standing({ setting: 'earned', bars, trials: trials(7) })).toMatchObject({
      isEarned: true,
    })
    expect(standing({ setting: 'earned', bars, trials: trials(6) }).isEarned).toBe(false)
  })
})
