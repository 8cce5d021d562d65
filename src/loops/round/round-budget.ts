/** The token budget of a round: which limit was exceeded, in the order in which it is looked for. */

import {
  type Amount,
  type AmountLimits,
  type Fault,
  inputTokensOf,
  outputTokensOf,
} from '../../loop/index.ts'
import type { RoundBudgetLimit } from '../../protocol/round/round-report.ts'

/** Exceeded means strictly more than the limit. Undefined: none. */
export function findExceeded(
  { inputTokens, outputTokens, tokens, costMicros }: Partial<AmountLimits>,
  used: Amount,
): RoundBudgetLimit | undefined {
  if (inputTokens !== undefined && inputTokensOf(used) > inputTokens) return 'input-tokens'
  if (outputTokens !== undefined && outputTokensOf(used) > outputTokens) return 'output-tokens'
  if (tokens !== undefined && used.tokens > tokens) return 'total-tokens'
  if (costMicros !== undefined && used.costMicros > costMicros) return 'cost'
  return undefined
}

/** The limit that did not allow a call inside an agent. Undefined: the fault is none of a budget. */
export function toBudgetLimit({ limit }: Pick<Fault, 'limit'>): RoundBudgetLimit | undefined {
  switch (limit) {
    case 'input-tokens':
    case 'output-tokens':
    case 'cost':
      return limit
    case 'tokens':
      return 'total-tokens'
    default:
      return undefined
  }
}
