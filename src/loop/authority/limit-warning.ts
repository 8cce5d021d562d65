/**
 * Warnings before a limit is reached: each exactly once for each value of a limit, so that a limit that is raised warns
 * again. The recorder adds them to the unit of the event that crosses the threshold.
 */

import {
  type Amount,
  type AmountLimits,
  defaultWarnAt,
  inputTokensOf,
  outputTokensOf,
} from '../budget.ts'
import type { LimitWarned } from '../event.ts'
import type { RunFacts } from '../state.ts'
import { callsOf } from './spending.ts'

interface Gauge {
  readonly limit: string
  readonly current: number
  readonly max: number
}

/** Identifies a warning that was given. */
export const warningKey = ({ limit, max }: Pick<LimitWarned, 'limit' | 'max'>): string =>
  `${limit}=${max}`

/** The warnings that the change from one state to the next makes due. */
export function dueWarnings(before: RunFacts, state: RunFacts): readonly LimitWarned[] {
  const { limits, warned } = state
  const isSame =
    before.spent === state.spent &&
    before.iteration === state.iteration &&
    before.callsByRole === state.callsByRole &&
    before.limits === limits &&
    state.activeMs < limits.timeMs * (limits.warnAt ?? defaultWarnAt)
  if (isSame) return none
  const threshold = limits.warnAt ?? defaultWarnAt
  return gauges(state).flatMap(({ limit, current, max }): LimitWarned[] => {
    // A limit that is reached ends the run or the iteration; there is nothing left to warn about.
    const isNear = current >= max * threshold && current < max
    const isDue = isNear && !warned.includes(warningKey({ limit, max }))
    const remaining = max - current
    return isDue ? [{ type: 'limit-warned', limit, current, max, remaining, threshold }] : []
  })
}

const none: readonly LimitWarned[] = []

function gauges(state: RunFacts): readonly Gauge[] {
  const { limits, spent, iteration, activeMs, spentByRole } = state
  return [
    { limit: 'iterations', current: iteration, max: limits.iterations },
    { limit: 'time', current: activeMs, max: limits.timeMs },
    ...amountGauges('', limits, spent),
    ...Object.entries(limits.agents ?? {}).flatMap(([role, own]) => {
      const prefix = `agents.${role}.`
      const used = Object.hasOwn(spentByRole, role) ? spentByRole[role] : undefined
      const calls = { limit: `${prefix}calls`, current: callsOf(state, role) }
      return [
        ...(own.calls === undefined ? [] : [{ ...calls, max: own.calls }]),
        ...(used === undefined ? [] : amountGauges(prefix, own, used)),
      ]
    }),
  ]
}

function amountGauges(prefix: string, limits: AmountLimits, used: Amount): readonly Gauge[] {
  const rows: readonly (readonly [string, number, number | undefined])[] = [
    ['tokens', used.tokens, limits.tokens],
    ['input-tokens', inputTokensOf(used), limits.inputTokens],
    ['output-tokens', outputTokensOf(used), limits.outputTokens],
    ['cost', used.costMicros, limits.costMicros],
  ]
  return rows.flatMap(([name, current, max]) =>
    max === undefined ? [] : [{ limit: `${prefix}${name}`, current, max }],
  )
}
