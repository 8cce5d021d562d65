/**
 * Races the options of an iteration instead of picking one. All run the same third of the cases; the worst is dropped;
 * the others run the next third; and so on until one is left, which continues as a candidate. Three options cost two
 * passes. An option that is clearly worse than the incumbent is dropped even if another one is worse still.
 */

import { type DropReason, decideCandidate, type Look } from './candidate.ts'
import { type Estimate, estimateSuite } from './estimate.ts'
import type { SuiteScores } from './scores.ts'

export interface RaceOption {
  readonly id: string
  /** All scores of the option so far. */
  readonly after: SuiteScores
}

export interface RaceDecision {
  /** In the order given. None: the iteration keeps nothing. One: it continues as a candidate with the next look. */
  readonly going: readonly string[]
  readonly dropped: readonly {
    readonly id: string
    readonly reason: DropReason
    readonly estimate?: Estimate
  }[]
}

/** After a third of the suite. `options` has those that still race, the recommended one first: it wins a tie. */
export function decideRace(
  look: Extract<Look, 'first-third' | 'second-third'>,
  race: {
    readonly cases: number
    readonly before: SuiteScores
    readonly options: readonly RaceOption[]
  },
): RaceDecision {
  const { cases, before, options } = race
  const decided = options.map(({ id, after }) => ({
    id,
    decision: decideCandidate(look, { cases, before, after }),
    estimate: estimateSuite(before, after),
  }))
  const fit = decided.filter(({ decision }) => decision.type !== 'drop')
  const worst = fit.length > 1 && fit.length === options.length ? lastOf(fit) : undefined
  const going = fit.filter((one) => one !== worst).map(({ id }) => id)
  const dropped = decided
    .filter(({ id }) => !going.includes(id))
    .map(({ id, decision, estimate }) => ({
      id,
      reason: decision.type === 'drop' ? decision.reason : ('lost-the-race' as const),
      ...(estimate === undefined ? {} : { estimate }),
    }))
  return { going, dropped }
}

interface Ranked {
  readonly id: string
  readonly estimate: Estimate | undefined
}

/** The lowest difference; among equals the last. An option without any score is the worst. */
function lastOf<T extends Ranked>(ranked: readonly T[]): T | undefined {
  const deltaOf = ({ estimate }: T): number => estimate?.delta ?? -2
  return ranked.reduce((worst, one) => (deltaOf(one) <= deltaOf(worst) ? one : worst))
}
