/**
 * What journals of earlier versions lack, derived from text that they do have. Nothing else in the
 * code reads meaning out of the text of a condition.
 */

import type { Met } from './event.ts'
import type { LimitName } from './outcome.ts'

/** The limit that a condition stands for which ends a run as exhausted. */
export const readLimit = (met: Met): LimitName => met.limit ?? limitNamedIn(met.condition)

/** Earlier versions kept only the description, such as `budget.cost` or `all(deadline, max-iterations)`. */
function limitNamedIn(condition: string): LimitName {
  if (condition.includes('deadline')) return 'deadline'
  if (condition.includes('budget.tokens')) return 'tokens'
  if (condition.includes('budget.cost')) return 'cost'
  if (condition.includes('budget.time')) return 'time'
  return 'iterations'
}
