import { expect, test } from 'vitest'
import type { SessionActivity, SessionTotals } from '../../gateway/index.ts'
import { isBusy } from './metered-program.ts'

const totals: SessionTotals = {
  exchanges: 3,
  requests: 3,
  usage: {
    input: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cacheWriteHour: 0,
    output: 0,
    webSearches: 0,
  },
  spent: { tokens: 0, costMicros: 0 },
  isEstimated: false,
  waitedMs: 0,
  trouble: undefined,
  diverged: undefined,
}

const activity = (inProgress: number, agoMs: number): SessionActivity => ({
  inProgress,
  lastAtMs: Date.now() - agoMs,
  lastTurnEnd: 'calls',
})

test('a program is busy while a model works for it, and for a moment afterwards', () => {
  expect(isBusy({ activity: activity(1, 600_000), totals })).toBe(true)
  expect(isBusy({ activity: activity(0, 100), totals })).toBe(true)
  expect(isBusy({ activity: activity(0, 600_000), totals })).toBe(false)
})

test('a program whose requests fail again and again is not busy', () => {
  const trouble = { kind: 'failed', message: 'anthropic answered 500.' } as const
  for (const at of [activity(1, 600_000), activity(0, 100)]) {
    expect(isBusy({ activity: at, totals: { ...totals, trouble } })).toBe(false)
  }
})
