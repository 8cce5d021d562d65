/** What is simulated: sizes, workloads and streams of edits, each combination with so many loops. */

import { type LoopResult, type LoopSettings, simulateLoop } from './whole-loop.ts'
import { streams } from './workload.ts'

export interface Cell extends LoopSettings {
  readonly name: string
}

/** Of each cell, at full scale. */
export const loopsOfCell = 1500

const groups = [
  { cases: 20, kind: 'mixed' },
  { cases: 50, kind: 'mixed' },
  { cases: 50, kind: 'stable' },
  { cases: 50, kind: 'noisy' },
  { cases: 200, kind: 'mixed' },
] as const

const everyStream = groups.flatMap((group) =>
  streams.flatMap((stream) =>
    [false, true].flatMap((hasHoldout) =>
      ([1, 3] as const).map((options) => ({ ...group, stream, hasHoldout, options, drift: 0 })),
    ),
  ),
)

/** A provider that gets better by itself, and holdouts that are just large enough to make a claim. */
const special = [
  ...[50, 200].map((cases) => ({ cases, stream: 'null' as const, hasHoldout: false, drift: 0.02 })),
  ...(['overfit', 'redraw', 'real'] as const).map((stream) => ({
    cases: 100,
    stream,
    hasHoldout: true,
    drift: 0,
  })),
].map((one) => ({
  ...one,
  kind: 'mixed' as const,
  options: 3 as const,
}))

export const cells: readonly Cell[] = [...everyStream, ...special].map((cell) => ({
  ...cell,
  name: [
    `${cell.cases} ${cell.kind} cases`,
    cell.stream,
    cell.hasHoldout ? 'holdout' : 'no holdout',
    cell.options === 3 ? 'race' : 'one option',
    ...(cell.drift > 0 ? ['drift'] : []),
  ].join(', '),
}))

/** Sums over the loops of a cell. */
export interface Tally {
  readonly loops: number
  /** Loops with a false claim, and with a false "generalises". */
  readonly false: number
  readonly falseGeneralises: number
  readonly opened: number
  /** Loops with a true gain of 5 points or more, and those of them that claimed one. */
  readonly gained: number
  readonly found: number
  readonly claimed: number
  /** Of the loops that claimed: the reported gain minus the true one, and its square. */
  readonly exaggeration: number
  readonly exaggerationSquared: number
  readonly dropped: number
  readonly shown: number
  readonly falselyBroken: number
  readonly populationGain: number
  readonly passes: number
  readonly checkPasses: number
  readonly iterations: number
}

export const emptyTally: Tally = {
  loops: 0,
  false: 0,
  falseGeneralises: 0,
  opened: 0,
  gained: 0,
  found: 0,
  claimed: 0,
  exaggeration: 0,
  exaggerationSquared: 0,
  dropped: 0,
  shown: 0,
  falselyBroken: 0,
  populationGain: 0,
  passes: 0,
  checkPasses: 0,
  iterations: 0,
}

const visibleGain = 0.05

function toTally(result: LoopResult): Tally {
  const { gain, claimed } = result
  const exaggeration = claimed ? result.reported - gain : 0
  const isGained = gain >= visibleGain
  return {
    loops: 1,
    false: result.falseClaims > 0 ? 1 : 0,
    falseGeneralises: result.falseGeneralises ? 1 : 0,
    opened: result.isHoldoutOpened ? 1 : 0,
    gained: isGained ? 1 : 0,
    found: isGained && claimed ? 1 : 0,
    claimed: claimed ? 1 : 0,
    exaggeration,
    exaggerationSquared: exaggeration ** 2,
    dropped: result.dropped,
    shown: result.shown,
    falselyBroken: result.falselyBroken,
    populationGain: result.populationGain,
    passes: result.passes,
    checkPasses: result.checkPasses,
    iterations: result.iterations,
  }
}

export function addTallies(one: Tally, other: Tally): Tally {
  const keys = Object.keys(emptyTally) as readonly (keyof Tally)[]
  return Object.fromEntries(keys.map((key) => [key, one[key] + other[key]])) as unknown as Tally
}

/** The seed of a loop. Cells have seeds of their own. */
export const seedOf = (cell: number, loop: number): number => cell * 1_000_003 + loop

/** Simulates the loops `from` to `to` of a cell, the last not included. */
export function simulateCell(at: number, from: number, to: number): Tally {
  const cell = cells[at]
  let tally = emptyTally
  for (let loop = from; cell !== undefined && loop < to; loop++) {
    tally = addTallies(tally, toTally(simulateLoop(cell, seedOf(at, loop))))
  }
  return tally
}
