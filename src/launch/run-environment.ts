/**
 * The environment of one run: what its caller sent overrides that of this process.
 *
 * 1. Values that a caller sent are in memory only: never journaled, logged, or part of a queue row.
 * 2. Where the caller is gone, values come from this process or the key file. A variable that the caller
 *    had and that is in neither keeps the run from starting.
 */

import { keyVariables, publicProviders, readKeyFile } from '../gateway/index.ts'
import { LoopError } from '../loop/index.ts'
import type { Environment } from '../system/environment.ts'
import { addressVariables, keysFile } from './shared-gateway.ts'

/** What every run gets: PATH, locale and time zone. */
export const isShellVariable = (name: string): boolean =>
  /^(PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ)$/.test(name)

/** Keys and addresses of the model providers. */
export const providerVariables = (): readonly string[] => [
  ...Object.keys(publicProviders).flatMap(keyVariables),
  ...Object.values(addressVariables),
]

/** The sent variables that the loop names. They are needed again after a restart. */
export function namedVariables(caller: Environment = {}): readonly string[] {
  const others = new Set(providerVariables())
  return Object.keys(caller)
    .filter((name) => !isShellVariable(name) && !others.has(name))
    .toSorted()
}

/** Without a caller: that of this process. */
export function runEnvironment(
  caller: Environment | undefined,
  own: Environment = process.env,
): Environment {
  if (caller === undefined) return own
  // The locale of this process does not apply where the caller has none.
  const rest = Object.entries(own).filter(([name]) => !isShellVariable(name))
  return { ...Object.fromEntries(rest), ...caller }
}

/** Adds needed variables from the key file. Rejects with `not-configured` if one is missing. */
export async function withNeeded(
  environment: Environment,
  needed: readonly string[],
  run: string,
): Promise<Environment> {
  const isMissing = (name: string): boolean => (environment[name] ?? '') === ''
  const missing = needed.filter(isMissing)
  if (missing.length === 0) return environment
  const file = keysFile(environment)
  const filed = await readKeyFile(file)
  const absent = missing.filter((name) => (filed[name] ?? '') === '')
  if (absent.length > 0) throw needsVariables(absent, run, file)
  return { ...environment, ...Object.fromEntries(missing.map((name) => [name, filed[name]])) }
}

/** Says which variables are missing, and the two ways to continue. */
export const needsVariables = (
  names: readonly string[],
  run: string,
  file: string = keysFile(),
): LoopError =>
  new LoopError(
    'not-configured',
    `Run "${run}" needs ${names.join(', ')}, which the daemon does not have. Run "loopctl resume ` +
      `${run}" in a shell where it is set, or put it in ${file} and resume.`,
    { details: { variables: names } },
  )
