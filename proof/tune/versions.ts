/** Simulated runs of one version of the artifact. */

import type { Random } from '#src/loops/tune/statistics/random.ts'

/** As `CaseScores`, and runs can be added without copying. */
export interface MeasuredCase {
  readonly id: string
  readonly scores: number[]
}

const places = Array.from({ length: 1000 }, (_, at) => at)
const ids = places.map((at) => `case-${at}`)

export const idOf = (at: number): string => ids[at] ?? `case-${at}`

export const placeOf = (id: string): number => Number(id.slice('case-'.length))

export const everyCase = (cases: number): readonly number[] => places.slice(0, cases)

export const unmeasured = (cases: number): readonly MeasuredCase[] =>
  Array.from({ length: cases }, (_, at) => ({ id: idOf(at), scores: [] }))

export const runOnce = (rate: number, random: Random, drift = 0): number =>
  random() < rate + drift * (1 - rate) ? 1 : 0

export function measure(
  measured: readonly MeasuredCase[],
  rates: Float64Array,
  cases: Iterable<number>,
  random: Random,
  drift = 0,
): void {
  for (const at of cases) measured[at]?.scores.push(runOnce(rates[at] ?? 0, random, drift))
}
