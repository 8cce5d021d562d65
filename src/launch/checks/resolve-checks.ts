/**
 * Completes checks when a run starts: standard conditions become the usual commands of the project.
 */

import { LoopError } from '../../loop/index.ts'
import type { CheckSettings } from '../../protocol/index.ts'
import type { ResolveOptions } from './check-runner.ts'
import { checkKind } from './kinds/registry.ts'
import type { ResolvedCheck, ResolvedChecks } from './resolved-check.ts'

/** Rejects with `not-configured` if there is no command for a condition. */
export async function resolveChecks(
  checks: Readonly<Record<string, CheckSettings>>,
  options: ResolveOptions,
): Promise<ResolvedChecks> {
  const resolved: [string, ResolvedCheck][] = []
  const unknown: string[] = []
  for (const [name, check] of Object.entries(checks)) {
    const found = await checkKind(check).resolve(name, check, options)
    if (typeof found === 'string') unknown.push(found)
    else resolved.push([name, found])
  }
  // Reports all problems at once.
  if (unknown.length > 0) throw new LoopError('not-configured', unknown.join('; '))
  return Object.fromEntries(resolved)
}
