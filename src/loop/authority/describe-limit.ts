/** Limits in words: `iterations 80 of 100`, `cost $4.00 of $5.00`. */

import type { Limits } from '../budget.ts'
import type { LimitWarned } from '../event.ts'

/** A value of a limit with its unit. The name ends with what is limited, such as `agents.maker.cost`. */
export function describeLimitValue(limit: string, value: number): string {
  const [what] = limit.split('.').slice(-1)
  if (what === 'cost') return `$${(value / 1e6).toFixed(2)}`
  return what === 'time' ? describeSeconds(value / 1000) : String(value)
}

function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${Number(seconds.toFixed(1))} s`
  const minutes = seconds / 60
  return minutes < 120
    ? `${Number(minutes.toFixed(1))} min`
    : `${Number((minutes / 60).toFixed(1))} h`
}

export function describeWarning({ limit, current, max, remaining }: LimitWarned): string {
  const of = (value: number): string => describeLimitValue(limit, value)
  return `limit ${limit} is nearly reached: ${of(current)} of ${of(max)}, ${of(remaining)} left`
}

const names: readonly (readonly [keyof Limits, string])[] = [
  ['iterations', 'iterations'],
  ['tokens', 'tokens'],
  ['inputTokens', 'input-tokens'],
  ['outputTokens', 'output-tokens'],
  ['costMicros', 'cost'],
  ['timeMs', 'time'],
  ['sameErrors', 'same-errors'],
  ['warnAt', 'warn-at'],
]

const innerNames: Readonly<Record<string, string>> = Object.fromEntries(names)

/** Each limit with its value: `iterations 200, agents.maker.cost $1.00`. */
export function describeLimits(limits: Partial<Limits>): string {
  const { iteration = {}, agents = {}, deadlineAtMs } = limits
  const inside = (prefix: string, values: object): string[] =>
    Object.entries(values).map(([name, value]) =>
      describeOne(`${prefix}${innerNames[name] ?? name}`, Number(value)),
    )
  return [
    ...names.flatMap(([key, name]) => {
      const value = limits[key]
      return typeof value === 'number' ? [describeOne(name, value)] : []
    }),
    ...(deadlineAtMs === undefined ? [] : [`deadline ${new Date(deadlineAtMs).toISOString()}`]),
    ...inside('iteration.', iteration),
    ...Object.entries(agents).flatMap(([role, own]) => inside(`agents.${role}.`, own)),
  ].join(', ')
}

const describeOne = (name: string, value: number): string =>
  `${name} ${describeLimitValue(name, value)}`
