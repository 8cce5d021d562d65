/**
 * When a loop is done, in addition to the limits that always apply. Conditions are data, combined
 * with `any` and `all`; only `custom` runs code of the loop type. They are evaluated once, after an
 * iteration, and the condition that was met is journaled with it.
 */

import { spendingLimitNames } from './budget.ts'
import { isCertified, isUnchanged } from './certified.ts'
import { defined } from './defined.ts'
import type { Met } from './event.ts'
import { checksPass } from './evidence.ts'
import { plural } from './excerpt/plural.ts'
import type { LimitName } from './outcome.ts'
import type { RunState } from './state.ts'

/** A condition of `until`: when it is met, the run ends. */
export type Condition<Progress = unknown, Result = unknown> =
  /** All named checks pass on the current tree. Without names: all checks of the run. */
  | { readonly type: 'checks-pass'; readonly checks?: readonly string[] }
  | { readonly type: 'max-iterations'; readonly iterations: number }
  /** Neither progress nor files changed for this many iterations. */
  | { readonly type: 'no-progress'; readonly iterations: number }
  | { readonly type: 'same-error'; readonly times: number }
  | { readonly type: 'deadline'; readonly atMs: number }
  | {
      readonly type: 'budget'
      readonly tokens?: number
      readonly costMicros?: number
      readonly timeMs?: number
    }
  | {
      readonly type: 'custom'
      readonly name: string
      met(progress: Progress, result: Result): boolean
      /** How the run ends when it is met. Default: completed. */
      readonly ends?: Met['ends']
      /** If it ends the run as exhausted: the limit it stands for. Default: iterations. */
      readonly limit?: LimitName
      /** Shown to people when it is met. */
      readonly detail?: string
      /**
       * The loop has its work certified by itself, with `it.certify`. It is met only if these files are certified in this
       * iteration, or if no file differs from the base: then there is nothing to certify.
       */
      readonly certified?: 'by-loop'
      /** The same, if it depends on the progress. */
      describe?(progress: Progress): string
    }
  | { readonly type: 'any' | 'all'; readonly of: readonly Condition<Progress, Result>[] }

/** What conditions are evaluated against: the state after the iteration, and what it produced. */
export interface Facts {
  readonly state: RunState
  readonly nowMs: number
  readonly checks: readonly string[]
  /** Undefined after an iteration that ended in an error. */
  readonly made: { readonly progress: unknown; readonly result: unknown } | undefined
  /** The run cannot complete now; only conditions that end it in another way are evaluated. */
  readonly incomplete?: boolean
}

/** The first condition of the list that is met. */
export function findMetCondition(
  conditions: readonly Condition<never, never>[],
  facts: Facts,
): Met | undefined {
  for (const condition of conditions) {
    const met = evaluate(condition, facts)
    if (met !== undefined) return met
  }
  return undefined
}

/** The checks that the met condition is based on. Empty: only the loop's own code says so. */
export function listSupportingChecks(
  conditions: readonly Condition<never, never>[],
  facts: Facts,
): readonly string[] {
  const met = conditions.find((condition) => evaluate(condition, facts) !== undefined)
  switch (met?.type) {
    case 'checks-pass':
      return met.checks ?? facts.checks
    case 'any':
      return listSupportingChecks(met.of, facts)
    case 'all':
      return [...new Set(met.of.flatMap((part) => listSupportingChecks([part], facts)))]
    default:
      return []
  }
}

export function evaluate(condition: Condition<never, never>, facts: Facts): Met | undefined {
  const { state } = facts
  switch (condition.type) {
    case 'any':
      return findMetCondition(condition.of, facts)
    case 'all':
      return evaluateAll(condition.of, facts)
    case 'checks-pass': {
      if (facts.incomplete === true) return undefined
      const passed = checksPass(condition.checks ?? facts.checks, state.evidence, state.tree)
      return passed ? { condition: 'checks-pass', ends: 'completed' } : undefined
    }
    case 'custom': {
      const { name, ends = 'completed', limit = 'iterations' } = condition
      if (facts.made === undefined) return undefined
      if (facts.incomplete === true && ends === 'completed') return undefined
      const byLoop = ends === 'completed' && condition.certified === 'by-loop'
      const basis = byLoop ? findBasis(state) : undefined
      if (byLoop && basis === undefined) return undefined
      const { progress, result } = facts.made
      // Progress and result come from the same loop type as the condition; the union cannot express that.
      if (!condition.met(progress as never, result as never)) return undefined
      const detail = condition.describe?.(progress as never) ?? condition.detail
      return {
        condition: name,
        ends,
        ...(ends === 'exhausted' && { limit }),
        ...defined({ detail, byLoop: basis }),
      }
    }
    case 'no-progress':
      if (state.unchanged < condition.iterations) return undefined
      return stuck('no-progress', `nothing changed for ${plural(state.unchanged, 'iteration')}`)
    case 'same-error':
      if (state.errors.times < condition.times) return undefined
      return stuck('same-error', `${state.errors.times} times: ${state.errors.signature}`)
    case 'max-iterations':
      if (state.iteration < condition.iterations) return undefined
      return exhausted('max-iterations', 'iterations')
    case 'deadline':
      return facts.nowMs >= condition.atMs ? exhausted('deadline', 'deadline') : undefined
    case 'budget': {
      const limit = findSpentLimit(condition, state)
      return limit === undefined ? undefined : exhausted(`budget.${limit}`, limit)
    }
  }
}

/** What a run can be called complete on without another certificate. */
function findBasis(state: RunState): Met['byLoop'] {
  if (isCertified(state)) return 'certified'
  return isUnchanged(state) ? 'unchanged' : undefined
}

function evaluateAll(of: readonly Condition<never, never>[], facts: Facts): Met | undefined {
  const met = of.map((condition) => evaluate(condition, facts))
  const parts = met.filter((part) => part !== undefined)
  const [first] = parts
  if (first === undefined || parts.length < of.length) return undefined
  // Combined with a success, a limit that was reached is a requirement, not a failure.
  const ends = parts.some((part) => part.ends === 'completed') ? 'completed' : first.ends
  const condition = `all(${parts.map((part) => part.condition).join(', ')})`
  if (ends !== 'exhausted') return { condition, ends }
  return exhausted(
    condition,
    limits.find((limit) => parts.some((part) => part.limit === limit)),
  )
}

function findSpentLimit(
  budget: Extract<Condition, { type: 'budget' }>,
  state: RunState,
): 'tokens' | 'cost' | 'time' | undefined {
  const { tokens, costMicros, timeMs } = budget
  if (tokens !== undefined && state.spent.tokens >= tokens) return 'tokens'
  if (costMicros !== undefined && state.spent.costMicros >= costMicros) return 'cost'
  if (timeMs !== undefined && state.activeMs >= timeMs) return 'time'
  return undefined
}

/** If several limits are reached together, the first of these is reported. */
const limits: readonly LimitName[] = ['deadline', ...spendingLimitNames, 'time', 'iterations']

const exhausted = (condition: string, limit: LimitName = 'iterations'): Met => ({
  condition,
  ends: 'exhausted',
  limit,
})

const stuck = (condition: string, detail: string): Met => ({ condition, ends: 'stuck', detail })
