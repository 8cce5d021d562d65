/** Picks the environment variables that a loop file names. */

import type { Environment } from '../../system/environment.ts'

/** A variable that is not set is skipped and reported as a problem. */
export function pickVariables(
  whose: string,
  names: readonly string[],
  environment: Environment,
  problems: string[],
): Record<string, string> {
  const entries = names.flatMap((name): [string, string][] => {
    const value = environment[name]
    if (value !== undefined) return [[name, value]]
    problems.push(`The variable ${name}, which ${whose} should get, is not set.`)
    return []
  })
  return Object.fromEntries(entries)
}
