/**
 * What journals of earlier versions lack, derived from text that they do have. Nothing else in the
 * code reads meaning out of the text of a condition or the name of a step.
 */

import type { DescribedStep, Met } from './event.ts'
import type { LimitName } from './outcome.ts'
import type { StepKind } from './step-kind.ts'
import { parseStepId } from './step-name.ts'

/** What a step is: its kind, and its role within that kind. */
export function readStep(event: Pick<DescribedStep, 'step' | 'kind' | 'role'>): {
  readonly kind: StepKind
  readonly role: string | undefined
} {
  const { step, kind, role } = event
  if (role !== undefined) return { kind: kind ?? 'step', role }
  const { kind: derived, name } = parseStepId(step)
  const isNamed = derived !== 'step' || plainRoles.has(name)
  return { kind: derived, role: isNamed ? name : undefined }
}

/** Steps of the built-in loop type that earlier journals know by their names only. */
const plainRoles: ReadonlySet<string> = new Set(['prompt', 'changes'])

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
