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
  subtract,
  zero,
} from '../budget.ts'
import type { LimitWarned } from '../event.ts'
import type { RunFacts, RunState } from '../state.ts'
import { callsOf, iterationMs } from './spending.ts'

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
      const used = (Object.hasOwn(spentByRole, role) ? spentByRole[role] : undefined) ?? zero
      const calls = { limit: `${prefix}calls`, current: callsOf(state, role) }
      return [
        ...(own.calls === undefined ? [] : [{ ...calls, max: own.calls }]),
        ...amountGauges(prefix, own, used),
      ]
    }),
  ]
}

/** How much of a limit is used. */
export interface LimitUse extends Gauge {
  readonly remaining: number
  /** A warning about this value of the limit was given. */
  readonly warned: boolean
}

/** Every limit of a run, of its open iteration and of its agents, and how much of it is used. */
export function listLimitUse(state: RunFacts & Pick<RunState, 'open'>): readonly LimitUse[] {
  const { limits, open, warned } = state
  const iteration = limits.iteration ?? {}
  const used = open === undefined ? zero : subtract(state.spent, state.spentBefore)
  const time = {
    limit: 'iteration.time',
    current: open === undefined ? 0 : iterationMs(state),
    max: iteration.timeMs ?? 0,
  }
  const all = [
    ...gauges(state),
    ...(iteration.timeMs === undefined ? [] : [time]),
    ...amountGauges('iteration.', iteration, used),
  ]
  return all.map((gauge) => ({
    ...gauge,
    remaining: Math.max(0, gauge.max - gauge.current),
    warned: warned.includes(warningKey(gauge)),
  }))
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
