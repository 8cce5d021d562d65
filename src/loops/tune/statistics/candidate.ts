/**
 * Whether an edit is kept. Lenient on purpose: a kept edit is "kept, not proven", and only the proof makes a claim.
 *
 * A candidate is measured in four looks and may be dropped at each:
 *
 *   first-third ─▶ second-third ─▶ first-pass ─▶ second-pass ─▶ kept
 *     │ clearly worse   │ clearly worse  │ worse          │ no gain
 *     └─────────────────┴────────┬───────┴────────────────┘
 *                             dropped
 *
 * One iteration can make a claim by itself if the gain is large: two repeats and a much higher critical z.
 */

import { type Claim, toClaim } from './claim.ts'
import { type Estimate, estimateSuite, isCovered } from './estimate.ts'
import { coverageMin, iterationAlpha } from './rule.ts'
import type { SuiteScores } from './scores.ts'

export type Look = 'first-third' | 'second-third' | 'first-pass' | 'second-pass'

export type DropReason =
  /** Seen before the first pass was over. */
  | 'clearly-worse'
  | 'no-gain'
  /** Other options did better on the same cases. */
  | 'lost-the-race'
  /** It broke cases, and the person or their policy does not accept that. */
  | 'regression'
  /** Too few cases were scored: it says nothing about the edit. */
  | 'too-few-scores'

export type CandidateDecision =
  | { readonly type: 'measure'; readonly look: Look; readonly estimate?: Estimate }
  | { readonly type: 'keep'; readonly estimate: Estimate }
  | { readonly type: 'drop'; readonly reason: DropReason; readonly estimate?: Estimate }

export interface CandidateScores {
  /** The cases of the suite, without the holdout. */
  readonly cases: number
  /** All scores of the version that the edit was made to. */
  readonly before: SuiteScores
  /** All scores of the candidate up to and with this look. */
  readonly after: SuiteScores
}

const clearlyWorseZ = -1.64
const keepZ = 0.5

/** The cases to run for a look, from the whole suite in the random order of this candidate. */
export function casesForLook<T>(order: readonly T[], look: Look): readonly T[] {
  const [first, second] = [Math.ceil(order.length / 3), Math.ceil((order.length * 2) / 3)]
  if (look === 'first-third') return order.slice(0, first)
  if (look === 'second-third') return order.slice(first, second)
  return look === 'first-pass' ? order.slice(second) : order
}

/** What to do after a look. */
export function decideCandidate(look: Look, scores: CandidateScores): CandidateDecision {
  const estimate = estimateSuite(scores.before, scores.after)
  const next = nextLook[look]
  const isPart = look === 'first-third' || look === 'second-third'
  if (isPart && next !== undefined) {
    if (estimate === undefined) return { type: 'measure', look: next }
    if (estimate.z <= clearlyWorseZ) return drop('clearly-worse', estimate)
    return { type: 'measure', look: next, estimate }
  }
  if (estimate === undefined || !isCovered(estimate, scores.cases)) {
    return drop('too-few-scores', estimate)
  }
  if (next === undefined) {
    return estimate.z >= keepZ ? { type: 'keep', estimate } : drop('no-gain', estimate)
  }
  return estimate.z < 0 ? drop('no-gain', estimate) : { type: 'measure', look: next, estimate }
}

const nextLook: Readonly<Record<Look, Look | undefined>> = {
  'first-third': 'second-third',
  'second-third': 'first-pass',
  'first-pass': 'second-pass',
  'second-pass': undefined,
}

const drop = (reason: DropReason, estimate: Estimate | undefined): CandidateDecision =>
  estimate === undefined ? { type: 'drop', reason } : { type: 'drop', reason, estimate }

/**
 * What one iteration may claim by itself: rarely anything, since every iteration of a loop could be wrong. Undefined
 * without two repeats of the cases.
 */
export function claimOfIteration(
  scores: CandidateScores,
  of: { readonly iteration: number; readonly options: number },
): Claim | undefined {
  const isRepeated = (one: SuiteScores): boolean =>
    one.filter(({ scores: runs }) => runs.length >= 2).length >= coverageMin * scores.cases
  const estimate = estimateSuite(scores.before, scores.after)
  if (estimate === undefined || !isCovered(estimate, scores.cases)) return undefined
  if (!isRepeated(scores.before) || !isRepeated(scores.after)) return undefined
  return toClaim(estimate, iterationAlpha(of.iteration, of.options))
}
