/**
 * Derives data that journals of earlier versions lack from text that they have. No other code
 * interprets the text of a condition or the name of a step.
 */

import type { DescribedStep, Met } from './event.ts'
import type { LimitName } from './outcome.ts'
import type { RoleAppearances, RolePhase } from './role-appearance.ts'
import type { StepKind } from './step/step-kind.ts'
import { parseStepId } from './step/step-name.ts'

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

/** Steps of the built-in loop type that earlier journals identify only by name. */
const plainRoles: ReadonlySet<string> = new Set(['prompt', 'changes'])

/** What the steps of an agent are part of. Roles that no loop type declares are judged by their names. */
export const readPhase = (role: string, roles: RoleAppearances = {}): RolePhase =>
  roles[role]?.phase ?? (/review|judge|check|critic/i.test(role) ? 'review' : 'implementation')

/** The limit behind a condition that ends a run as exhausted. */
export const readLimit = (met: Met): LimitName => met.limit ?? parseLimitName(met.condition)

/** Earlier versions stored only the description, such as `budget.cost` or `all(deadline, max-iterations)`. */
function parseLimitName(condition: string): LimitName {
  if (condition.includes('deadline')) return 'deadline'
  if (condition.includes('budget.tokens')) return 'tokens'
  if (condition.includes('budget.cost')) return 'cost'
  if (condition.includes('budget.time')) return 'time'
  return 'iterations'
}
