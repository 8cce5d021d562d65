/**
 * When a loop ends, or asks whether to. The question after two iterations without a kept edit is asked as the protocol
 * has it, but its default is to go on: stopping there loses two thirds of the gain. From five on the default is to stop.
 */

export interface IterationOutcome {
  readonly kept: boolean
  /** False if nothing was measured: the iteration was skipped, or too few cases were scored. It counts for nothing. */
  readonly measured: boolean
  /** Mean score of the version the loop continues with, minus that of the baseline. */
  readonly net: number
}

export type Convergence =
  | { readonly type: 'continue' }
  | { readonly type: 'stop'; readonly reason: 'all-pass' | 'iteration-limit' }
  | {
      readonly type: 'ask'
      readonly question: 'plateau' | 'net-negative'
      /** Iterations in a row that kept nothing, or iterations so far. */
      readonly iterations: number
      readonly default: 'continue' | 'stop'
    }

const plateauAsk = 2
const plateauStop = 5
const netNegativeAfter = 3

/** At the end of an iteration. `outcomes` has all of them, the first iteration first. */
export function decideConvergence(loop: {
  readonly outcomes: readonly IterationOutcome[]
  readonly iterationsMax: number
  /** All repeats of all cases pass, without the holdout. */
  readonly isAllPassing: boolean
}): Convergence {
  const { outcomes, iterationsMax, isAllPassing } = loop
  if (isAllPassing) return { type: 'stop', reason: 'all-pass' }
  if (outcomes.length >= iterationsMax) return { type: 'stop', reason: 'iteration-limit' }
  const net = outcomes.at(-1)?.net ?? 0
  if (net < 0 && outcomes.length >= netNegativeAfter) {
    const iterations = outcomes.length
    return { type: 'ask', question: 'net-negative', iterations, default: 'stop' }
  }
  const iterations = countPlateau(outcomes)
  const isMeasured = outcomes.at(-1)?.measured === true
  if (!isMeasured || (iterations !== plateauAsk && iterations < plateauStop)) {
    return { type: 'continue' }
  }
  const answer = iterations >= plateauStop ? 'stop' : 'continue'
  return { type: 'ask', question: 'plateau', iterations, default: answer }
}

/** Measured iterations since the last kept edit. */
export function countPlateau(outcomes: readonly IterationOutcome[]): number {
  const last = outcomes.findLastIndex(({ kept }) => kept)
  return outcomes.slice(last + 1).filter(({ measured }) => measured).length
}
