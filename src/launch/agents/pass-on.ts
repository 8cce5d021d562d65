/** Variables of the environment that a loop file hands on, by name. */

import type { Environment } from '../../system/environment.ts'

/** One that is not set is not given, and that is said. */
export function passOn(
  whose: string,
  names: readonly string[],
  environment: Environment,
  problems: string[],
): Record<string, string> {
  const entries = names.flatMap((name): [string, string][] => {
    const value = environment[name]
    if (value !== undefined) return [[name, value]]
    problems.push(`${name}, which ${whose} is to be given, is not set.`)
    return []
  })
  return Object.fromEntries(entries)
}
