/**
 * Standard conditions become the usual commands of the project. E7. Its files are those that the run began
 * with, not what was made of them: whoever does the work does not choose what judges it.
 */

import type { BegunFiles } from '../../engine/index.ts'
import { networkAdvice, planCondition } from '../../evidence/index.ts'
import { LoopError } from '../../loop/index.ts'
import type { CheckSettings, ConditionCheckSettings } from '../../protocol/index.ts'
import type { ResolvedCheck, ResolvedChecks, StandardCheck } from './resolved-check.ts'

export interface ResolveOptions {
  readonly begun: () => BegunFiles
  /** Commands of the run reach nothing. */
  readonly isOffline: boolean
  /** What a person should know is added here. */
  readonly problems: string[]
}

/** Rejects with `not-configured` for conditions that nothing can be run for. */
export async function resolveChecks(
  checks: Readonly<Record<string, CheckSettings>>,
  options: ResolveOptions,
): Promise<ResolvedChecks> {
  const resolved: [string, ResolvedCheck][] = []
  const unknown: string[] = []
  for (const [name, check] of Object.entries(checks)) {
    const found = check.type === 'condition' ? await resolveCondition(name, check, options) : check
    if (typeof found === 'string') unknown.push(found)
    else resolved.push([name, found])
  }
  // All of them, so that nobody mends one to be told of the next.
  if (unknown.length > 0) throw new LoopError('not-configured', unknown.join('; '))
  return Object.fromEntries(resolved)
}

/** Or why not. */
async function resolveCondition(
  name: string,
  check: ConditionCheckSettings,
  { begun, isOffline, problems }: ResolveOptions,
): Promise<StandardCheck | string> {
  const { reader, tree } = begun()
  const { commands, problem } = await planCondition(reader, tree, check.condition)
  if (problem !== undefined) return `checks.${name}: ${problem}`
  const asking = isOffline ? commands.filter(({ network }) => network) : []
  problems.push(...asking.map((command) => networkAdvice(check.condition, command)))
  return { ...check, type: 'standard', commands }
}
