/**
 * The only place where a loop says "improved": once, at the end, on fresh runs of the baseline and the final version,
 * interleaved in one batch. Fresh, because the scores that an edit was kept for are the lucky ones; interleaved, because
 * a model that drifts between two batches looks like an improvement.
 */

import { type Claim, toClaim } from './claim.ts'
import { type Estimate, estimateSuite, isCovered } from './estimate.ts'
import { type Random, shuffle } from './random.ts'
import { coverageMin, criticalZ, powerZ, proofAlpha } from './rule.ts'
import type { SuiteScores } from './scores.ts'

export type Side = 'before' | 'after'

export interface ProofRun {
  readonly id: string
  readonly side: Side
  /** 1 for the first. */
  readonly repeat: number
}

/** All runs of a proof in the order in which they start: pass by pass, the two sides of a case side by side. */
export function planProof(
  cases: readonly string[],
  repeats: number,
  random: Random,
): readonly ProofRun[] {
  const runs: ProofRun[] = []
  for (let repeat = 1; repeat <= repeats; repeat++) {
    for (const id of shuffle(cases, random)) {
      const sides: readonly Side[] = random() < 0.5 ? ['before', 'after'] : ['after', 'before']
      for (const side of sides) runs.push({ id, side, repeat })
    }
  }
  return runs
}

/** What would settle an inconclusive verdict. */
export interface ToDecide {
  /** The smallest true gain that this many cases and repeats find in four of five loops. */
  readonly visibleGain: number
  /** Repeats for each side that would show a difference of the size that was seen. Absent: no number up to 50 would. */
  readonly repeats?: number
}

export type ProofDecision =
  | ({ readonly type: 'claim'; readonly toDecide?: ToDecide } & Claim)
  | {
      readonly type: 'no-claim'
      readonly reason: 'too-few-scores' | 'single-repeat'
      /** Cases that have the scores that a claim needs, and those it would need. */
      readonly cases: number
      readonly needed: number
    }

export interface ProofScores {
  /** The cases of the suite, without the holdout. */
  readonly cases: number
  /** Fresh scores of the baseline version: none of those that edits were kept for. */
  readonly before: SuiteScores
  readonly after: SuiteScores
  /** 1 for the first proof of a loop. Each further one needs a clearer difference. */
  readonly attempt: number
}

export function decideProof({ cases, before, after, attempt }: ProofScores): ProofDecision {
  const needed = Math.ceil(cases * coverageMin)
  const estimate = estimateSuite(before, after)
  if (estimate === undefined || !isCovered(estimate, cases)) {
    return { type: 'no-claim', reason: 'too-few-scores', cases: estimate?.cases ?? 0, needed }
  }
  const repeated = Math.min(countRepeated(before), countRepeated(after))
  if (repeated < needed) {
    return { type: 'no-claim', reason: 'single-repeat', cases: repeated, needed }
  }
  const alpha = proofAlpha(attempt)
  const claim = { type: 'claim' as const, ...toClaim(estimate, alpha) }
  if (claim.verdict !== 'inconclusive') return claim
  return { ...claim, toDecide: toDecide(estimate, after, criticalZ(alpha).improved + powerZ) }
}

const countRepeated = (suite: SuiteScores): number =>
  suite.filter(({ scores }) => scores.length >= 2).length

/** The standard error falls with the square root of the repeats. */
function toDecide({ standardError, z }: Estimate, after: SuiteScores, neededZ: number): ToDecide {
  const visibleGain = Math.min(1, neededZ * standardError)
  const scored = after.filter(({ scores }) => scores.length > 0)
  const runs = scored.reduce((sum, { scores }) => sum + scores.length, 0)
  const repeats = Math.ceil((runs / scored.length) * (neededZ / z) ** 2)
  return repeats > repeatsMax ? { visibleGain } : { visibleGain, repeats }
}

const repeatsMax = 50
