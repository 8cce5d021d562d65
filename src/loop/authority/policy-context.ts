/** The facts about a run that rules can refer to, from its state and what only the caller knows. */

import { inputTokensOf, outputTokensOf } from '../budget.ts'
import type { TreeId } from '../ids.ts'
import type { RunFacts } from '../state.ts'
import type { PolicyContext } from './policy.ts'

/** The part of the context that is not in the state. */
export interface PolicyFacts
  extends Pick<PolicyContext, 'iteration' | 'filesChanged' | 'sealedTouched' | 'level'> {
  /** The files that it is about. */
  readonly tree: TreeId | undefined
}

export function toPolicyContext(state: RunFacts, { tree, ...facts }: PolicyFacts): PolicyContext {
  const { spent, certificate } = state
  return {
    ...facts,
    tokens: spent.tokens,
    inputTokens: inputTokensOf(spent),
    outputTokens: outputTokensOf(spent),
    costMicros: spent.costMicros,
    elapsedMs: Math.round(state.activeMs),
    verified: certificate !== undefined && certificate.tree === tree ? 1 : 0,
  }
}
