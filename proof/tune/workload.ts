/**
 * The model of a suite whose truth is known: each case passes with a probability of its own, and an edit changes these
 * probabilities. Effects are linear in the probability, so the mean of all cases that could exist is known exactly too.
 */

import type { Random } from '#src/loops/tune/statistics/random.ts'

export type Kind = 'stable' | 'mixed' | 'noisy'

/** Shares of the cases that pass, that fail, and that are flaky. */
const shares: Readonly<Record<Kind, readonly [number, number, number]>> = {
  stable: [0.55, 0.35, 0.1],
  mixed: [0.45, 0.25, 0.3],
  noisy: [0.2, 0.15, 0.65],
}

export interface Workload {
  readonly kind: Kind
  /** Pass probabilities of the cases of the suite, and of the sealed holdout. */
  readonly suite: Float64Array
  readonly holdout: Float64Array
  /** Mean over all cases that could exist. */
  readonly population: number
}

export type Edit =
  | { readonly type: 'null' }
  /** Fixes and breaks cases with these probabilities. */
  | { readonly type: 'change'; readonly fixes: number; readonly breaks: number }
  /** Changes the mean by so much. */
  | { readonly type: 'shift'; readonly by: number }
  /** Moves so much of the mean down and as much up. */
  | { readonly type: 'churn'; readonly by: number }
  /** Helps the cases it was made with, and harms all others. */
  | { readonly type: 'overfit' }
  /** Draws 15 % of the cases again. */
  | { readonly type: 'redraw' }

/** How much of the distance to always or never an affected case moves. */
const strength = 0.95
const redrawn = 0.15

export function makeWorkload(
  kind: Kind,
  sizes: { readonly suite: number; readonly holdout: number },
  random: Random,
): Workload {
  const draw = (length: number): Float64Array =>
    Float64Array.from({ length }, () => drawCase(kind, random))
  return {
    kind,
    suite: draw(sizes.suite),
    holdout: draw(sizes.holdout),
    population: meanOfKind(kind),
  }
}

function drawCase(kind: Kind, random: Random): number {
  const [passing, failing] = shares[kind]
  const which = random()
  if (which < passing) return random() ** (1 / 40)
  if (which < passing + failing) return 1 - random() ** (1 / 30)
  // Beta(1.5, 1.5) is a coordinate of a point in a disc.
  return (1 + Math.sqrt(random()) * Math.cos(2 * Math.PI * random())) / 2
}

function meanOfKind(kind: Kind): number {
  const [passing, failing, flaky] = shares[kind]
  return passing * (40 / 41) + failing / 31 + flaky / 2
}

export function applyEdit(workload: Workload, edit: Edit, random: Random): Workload {
  const { kind, suite, holdout, population } = workload
  if (edit.type === 'null') return workload
  if (edit.type === 'redraw') {
    const redraw = (rate: number): number => (random() < redrawn ? drawCase(kind, random) : rate)
    const mean = population + redrawn * (meanOfKind(kind) - population)
    return { kind, suite: suite.map(redraw), holdout: holdout.map(redraw), population: mean }
  }
  const here = changeOf(edit, population)
  const elsewhere = edit.type === 'overfit' ? shiftOf(-0.01, population) : here
  return {
    kind,
    suite: suite.map((rate) => changeCase(rate, here, random())),
    holdout: holdout.map((rate) => changeCase(rate, elsewhere, random())),
    population:
      population + strength * (elsewhere.fixes * (1 - population) - elsewhere.breaks * population),
  }
}

interface Change {
  readonly fixes: number
  readonly breaks: number
}

function changeOf(edit: Exclude<Edit, { type: 'null' | 'redraw' }>, mean: number): Change {
  if (edit.type === 'change') return edit
  if (edit.type === 'overfit') return shiftOf(0.08, mean)
  if (edit.type === 'shift') return shiftOf(edit.by, mean)
  // Equal amounts, as far as there is room for them.
  const by = Math.min(edit.by, strength * (1 - mean) * 0.5, strength * mean * 0.5)
  return { fixes: by / (strength * (1 - mean)), breaks: by / (strength * mean) }
}

const shiftOf = (by: number, mean: number): Change =>
  by > 0
    ? { fixes: Math.min(1, by / (strength * Math.max(1e-9, 1 - mean))), breaks: 0 }
    : { fixes: 0, breaks: Math.min(1, -by / (strength * Math.max(1e-9, mean))) }

function changeCase(rate: number, { fixes, breaks }: Change, chance: number): number {
  if (chance < fixes) return rate + strength * (1 - rate)
  return chance > 1 - breaks ? rate * (1 - strength) : rate
}

export type Stream = (typeof streams)[number]

export const streams = [
  'null',
  'churn',
  'noimp',
  'worse',
  'overfit',
  'redraw',
  'real',
  'rich',
] as const

const shift = (by: number): Edit => ({ type: 'shift', by })
const churn: Edit = { type: 'churn', by: 0.05 }
const nothing: Edit = { type: 'null' }

/** What is proposed: edits with their weights. Only `real` and `rich` have edits that help all cases. */
const mixes: Readonly<Record<Stream, readonly (readonly [number, Edit])[]>> = {
  null: [[1, nothing]],
  churn: [[1, churn]],
  noimp: [
    [0.25, nothing],
    [0.25, churn],
    [0.25, shift(-0.03)],
    [0.25, shift(-0.1)],
  ],
  worse: [[1, shift(-0.03)]],
  overfit: [[1, { type: 'overfit' }]],
  redraw: [[1, { type: 'redraw' }]],
  real: [
    [0.4, nothing],
    [0.15, churn],
    [0.15, shift(-0.03)],
    [0.05, shift(-0.1)],
    [0.1, shift(0.02)],
    [0.07, shift(0.05)],
    [0.04, shift(0.1)],
    [0.01, shift(0.2)],
    [0.03, { type: 'change', fixes: 0.15, breaks: 0.05 }],
  ],
  rich: [
    [0.2, nothing],
    [0.15, churn],
    [0.1, shift(-0.03)],
    [0.05, shift(-0.1)],
    [0.2, shift(0.02)],
    [0.15, shift(0.05)],
    [0.08, shift(0.1)],
    [0.02, shift(0.2)],
    [0.05, { type: 'change', fixes: 0.15, breaks: 0.05 }],
  ],
}

export function proposeEdit(stream: Stream, random: Random): Edit {
  let left = random()
  for (const [weight, edit] of mixes[stream]) {
    left -= weight
    if (left < 0) return edit
  }
  return nothing
}

/** Mean gain from one version to another. */
export function gainOf(from: Float64Array, to: Float64Array): number {
  let sum = 0
  for (let at = 0; at < from.length; at++) sum += (to[at] ?? 0) - (from[at] ?? 0)
  return sum / Math.max(1, from.length)
}
