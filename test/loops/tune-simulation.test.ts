// The simulation of tuning loops: a tiny share of what `npm run proof -- --only tune` does, and that it can fail.

import { expect, test } from 'vitest'
import { cells, emptyTally, simulateCell } from '../../proof/tune/cells.ts'
import { resultsOfLoops } from '../../proof/tune/results.ts'
import { runSearch } from '../../proof/tune/search-run.ts'
import { countAtMost } from '../../proof/tune/tolerance.ts'
import { type LoopSettings, simulateLoop } from '../../proof/tune/whole-loop.ts'

const isSmall = (cell: LoopSettings): boolean => cell.cases <= 50 && cell.kind !== 'stable'

test('a few loops of each kind keep the promises of the statistics', () => {
  const simulated = cells.map((cell, at) => {
    return { cell, tally: isSmall(cell) ? simulateCell(at, 0, 5) : emptyTally }
  })
  const results = resultsOfLoops(
    simulated.filter(({ tally }) => tally.loops > 0),
    false,
  )
  expect(results.length).toBeGreaterThan(10)
  expect(results.filter(({ ok }) => !ok)).toEqual([])
})

test('a seed gives its loop and its search again', () => {
  const settings = { cases: 50, kind: 'mixed', stream: 'real', hasHoldout: true } as const
  const loop = (seed: number): unknown => simulateLoop({ ...settings, options: 3, drift: 0 }, seed)
  expect(loop(7)).toEqual(loop(7))
  expect(loop(8)).not.toEqual(loop(7))
  expect(runSearch('additive', 20, [20], 3)).toEqual(runSearch('additive', 20, [20], 3))
})

test('the simulation notices a proof with old scores while the provider changes; fresh ones are fine', () => {
  const settings: LoopSettings = {
    cases: 50,
    kind: 'mixed',
    stream: 'null',
    hasHoldout: false,
    options: 3,
    drift: 0.08,
  }
  const falseLoops = (planted?: 'old-scores'): number => {
    const change = planted === undefined ? {} : { planted }
    const seeds = Array.from({ length: 60 }, (_, at) => at)
    const results = seeds.map((seed) => simulateLoop({ ...settings, ...change }, seed))
    return results.filter(({ falseClaims }) => falseClaims > 0).length
  }
  const limit = countAtMost(60, 0.05)
  expect(falseLoops()).toBeLessThanOrEqual(limit)
  expect(falseLoops('old-scores')).toBeGreaterThan(limit)
})

test('the tolerance is that of the binomial distribution', () => {
  expect(countAtMost(100, 0.05)).toBe(13)
  expect(countAtMost(10, 0.05)).toBe(4)
  expect(countAtMost(0, 0.05)).toBe(0)
})
