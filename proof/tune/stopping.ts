/**
 * What early stopping saves: candidates as they come, judged by the looks of the product and by a rule that always runs two
 * passes. The fixed rule gets the threshold that keeps as many edits that help nothing.
 */

import { casesForLook, decideCandidate, type Look } from '#src/loops/tune/statistics/candidate.ts'
import { estimateSuite } from '#src/loops/tune/statistics/estimate.ts'
import { randomFrom, shuffle } from '#src/loops/tune/statistics/random.ts'
import { baselineRepeats } from '#src/loops/tune/statistics/rule.ts'
import { everyCase, measure, unmeasured } from './versions.ts'
import { applyEdit, gainOf, makeWorkload, proposeEdit } from './workload.ts'

/** One candidate under both rules. */
export interface Judged {
  readonly gain: number
  readonly passes: number
  readonly isKept: boolean
  /** After two passes. */
  readonly z: number
}

const looks: readonly Look[] = ['first-third', 'second-third', 'first-pass', 'second-pass']
const visibleGain = 0.05

export function judgeCandidate(cases: number, seed: number): Judged {
  const random = randomFrom(seed)
  const before = makeWorkload('mixed', { suite: cases, holdout: 0 }, random)
  const after = applyEdit(before, proposeEdit('real', random), random)
  const all = everyCase(cases)
  const [base, candidate] = [unmeasured(cases), unmeasured(cases)]
  for (let pass = 0; pass < baselineRepeats(cases); pass++) measure(base, before.suite, all, random)
  const order = shuffle(all, random)
  let runs = 0
  let isKept: boolean | undefined
  for (const look of looks) {
    const part = casesForLook(order, look)
    measure(candidate, after.suite, part, random)
    if (isKept !== undefined) continue
    runs += part.length
    const decision = decideCandidate(look, { cases, before: base, after: candidate })
    if (decision.type !== 'measure') isKept = decision.type === 'keep'
  }
  const z = estimateSuite(base, candidate)?.z ?? 0
  const gain = gainOf(before.suite, after.suite)
  return { gain, passes: runs / cases, isKept: isKept === true, z }
}

export interface Savings {
  /** Share of the runs of the fixed rule that were not needed. */
  readonly saved: number
  /** How many more true gains of 5 points or more the fixed rule keeps, as a share of them. */
  readonly powerLost: number
  readonly falselyKept: number
}

export function compareWithFixed(judged: readonly Judged[]): Savings {
  const useless = judged.filter(({ gain }) => gain <= 1e-9)
  const useful = judged.filter(({ gain }) => gain >= visibleGain)
  const falselyKept = useless.filter(({ isKept }) => isKept).length
  const threshold = useless.map(({ z }) => z).toSorted((a, b) => b - a)[falselyKept] ?? 0
  const share = (list: readonly Judged[], test: (one: Judged) => boolean): number =>
    list.filter(test).length / Math.max(1, list.length)
  const passes = judged.reduce((sum, one) => sum + one.passes, 0) / Math.max(1, judged.length)
  return {
    saved: 1 - passes / 2,
    powerLost: share(useful, ({ z }) => z > threshold) - share(useful, ({ isKept }) => isKept),
    falselyKept: falselyKept / Math.max(1, useless.length),
  }
}
