/** The targets of the tuning loop, and what the simulation found. Each group of cells shows its worst one. */

import { atLeast, atMost, type Result } from '../../bench/report.ts'
import { addTallies, type Cell, emptyTally, type Tally } from './cells.ts'
import { shareAtLeast, shareAtMost, slackOf } from './tolerance.ts'

export interface Simulated {
  readonly cell: Cell
  readonly tally: Tally
}

const falseMax = 0.05
const falseGeneralisesMax = 0.015
const shownMin = 0.95

/** With and without a holdout. */
const powerMin: Readonly<Record<number, readonly [number, number]>> = {
  20: [0.55, 0.52],
  50: [0.85, 0.82],
  200: [0.99, 0.99],
}

export function resultsOfLoops(all: readonly Simulated[], isFull: boolean): readonly Result[] {
  return [
    ...bySize(all).flatMap(([size, cells]) => falseClaims(size, cells, isFull)),
    ...[20, 50, 200].flatMap((size) => power(size, all, isFull)),
    ...(['mixed', 'noisy'] as const).map((kind) => exaggeration(kind, all, isFull)),
    ...bySize(all).flatMap(([size, cells]) => shown(size, cells, isFull)),
    ...falseGeneralises(all, isFull),
  ]
}

function bySize(all: readonly Simulated[]): readonly (readonly [number, readonly Simulated[]])[] {
  const sizes = [...new Set(all.map(({ cell }) => cell.cases))].toSorted((a, b) => a - b)
  return sizes.map((size) => [size, all.filter(({ cell }) => cell.cases === size)])
}

function falseClaims(
  size: number,
  cells: readonly Simulated[],
  isFull: boolean,
): readonly Result[] {
  const [worst] = cells.toSorted((a, b) => rateOf(b.tally) - rateOf(a.tally))
  if (worst === undefined) return []
  const { cell, tally } = worst
  const target = falseMax + 2 * Math.sqrt((falseMax * (1 - falseMax)) / tally.loops)
  const detail = `the most of ${cells.length} cells of ${tally.loops} loops: ${cell.name}`
  const name = `tune.false-claims-${size}`
  return [shareAtMost({ name, count: tally.false, of: tally.loops, target, isFull, detail })]
}

const rateOf = (tally: Tally): number => tally.false / Math.max(1, tally.loops)

function power(size: number, all: readonly Simulated[], isFull: boolean): readonly Result[] {
  const [without, withHoldout] = powerMin[size] ?? [1, 1]
  return [false, true].flatMap((hasHoldout) =>
    ([1, 3] as const).map((options) => {
      const chosen = all.filter(
        ({ cell }) =>
          cell.cases === size &&
          cell.kind === 'mixed' &&
          cell.stream === 'real' &&
          cell.hasHoldout === hasHoldout &&
          cell.options === options,
      )
      const { found, gained, populationGain, loops, passes } = sum(chosen)
      const parts = [hasHoldout ? 'holdout' : 'suite', options === 3 ? 'race' : 'single']
      const gain = (100 * populationGain) / Math.max(1, loops)
      return shareAtLeast({
        name: `tune.power-${size}-${parts.join('-')}`,
        count: found,
        of: gained,
        target: hasHoldout ? withHoldout : without,
        isFull,
        detail: `of true gains of 5 points or more; mean gain ${gain.toFixed(1)} points in ${(passes / Math.max(1, loops)).toFixed(1)} passes`,
      })
    }),
  )
}

const sum = (chosen: readonly Simulated[]): Tally =>
  chosen.reduce((total, { tally }) => addTallies(total, tally), emptyTally)

/** At 50 cases, of the stream of real edits: the worst of its cells. */
function exaggeration(kind: 'mixed' | 'noisy', all: readonly Simulated[], isFull: boolean): Result {
  const limit = kind === 'noisy' ? 2.5 : 1
  const chosen = all
    .filter(({ cell }) => cell.cases === 50 && cell.stream === 'real')
    .filter(({ cell }) => (cell.kind === 'noisy') === (kind === 'noisy'))
    .map(({ cell, tally }) => {
      const count = Math.max(1, tally.claimed)
      const mean = tally.exaggeration / count
      const deviation = Math.sqrt(Math.max(0, tally.exaggerationSquared / count - mean ** 2))
      return { cell, mean: 100 * mean, slack: 100 * slackOf(deviation, tally.claimed, isFull) }
    })
    .toSorted((a, b) => b.mean - b.slack - (a.mean - a.slack))
  const { cell, mean = 0, slack = 0 } = chosen[0] ?? {}
  const most = Number((limit + slack).toFixed(2))
  return atMost(`tune.exaggeration-50-${kind}`, mean, most, 'points', `the most: ${cell?.name}`)
}

function shown(size: number, cells: readonly Simulated[], isFull: boolean): readonly Result[] {
  const [worst] = cells
    .filter(({ tally }) => tally.dropped >= 50)
    .toSorted((a, b) => a.tally.shown / a.tally.dropped - b.tally.shown / b.tally.dropped)
  if (worst === undefined) return []
  const { cell, tally } = worst
  const total = sum(cells)
  const broken = (total.falselyBroken / total.loops).toFixed(3)
  return [
    shareAtLeast({
      name: `tune.broken-cases-shown-${size}`,
      count: tally.shown,
      of: tally.dropped,
      target: shownMin,
      isFull,
      detail: `the fewest: ${cell.name}; falsely called broken: ${broken} a loop`,
    }),
  ]
}

function falseGeneralises(all: readonly Simulated[], isFull: boolean): readonly Result[] {
  const [worst] = all
    .filter(({ cell, tally }) => cell.stream === 'overfit' && tally.opened > 0)
    .filter(({ cell }) => cell.cases * 0.3 >= 20)
    .toSorted(
      (a, b) => b.tally.falseGeneralises / b.tally.loops - a.tally.falseGeneralises / a.tally.loops,
    )
  if (worst === undefined) return []
  const { cell, tally } = worst
  return [
    shareAtMost({
      name: 'tune.false-generalises',
      count: tally.falseGeneralises,
      of: tally.loops,
      target: falseGeneralisesMax,
      isFull,
      detail: `the most: ${cell.name}; opened in ${tally.opened} of ${tally.loops} loops`,
    }),
  ]
}

/** What looks of early stopping save against two passes for each candidate. */
export function resultsOfStopping(
  size: number,
  savings: { readonly saved: number; readonly powerLost: number; readonly falselyKept: number },
  candidates: number,
  isFull: boolean,
): readonly Result[] {
  const { saved, powerLost, falselyKept } = savings
  const detail = `${candidates} candidates, ${(100 * falselyKept).toFixed(1)} % falsely kept by both`
  // One of eight candidates of the stream has a gain of 5 points or more.
  const slack = slackOf(50, candidates / 8, isFull)
  return [
    atLeast(`tune.runs-saved-${size}`, 100 * saved, isFull ? 25 : 22, '%', detail),
    atMost(`tune.power-lost-${size}`, 100 * powerLost, Number((2 + slack).toFixed(1)), 'points'),
  ]
}

const capturedMin = [85, 90, 93]

export const resultsOfSearch = (
  budgets: readonly number[],
  captured: readonly { readonly mean: number; readonly deviation: number }[],
  searches: number,
  isFull: boolean,
): readonly Result[] =>
  budgets.map((budget, at) => {
    const { mean = 0, deviation = 0 } = captured[at] ?? {}
    const least = (capturedMin[at] ?? 100) - 100 * slackOf(deviation, searches, isFull)
    const detail = `of the achievable gain at 50 cases, ${searches} searches in six families`
    return atLeast(
      `tune.search-${budget}-passes`,
      100 * mean,
      Number(least.toFixed(1)),
      '%',
      detail,
    )
  })
