/**
 * The environments that callers sent with their runs, for the lifetime of this process. In memory only: nothing
 * here is journaled, logged or part of a queue row.
 */

import { isSecretName } from '../../agents/index.ts'
import type { RunId } from '../../loop/index.ts'
import type { Environment } from '../../system/environment.ts'

export interface CallerEnvironments {
  /** Replaces the previous one; undefined keeps it. */
  put(run: RunId, environment: Environment | undefined): void
  find(run: RunId): Environment | undefined
  /** When the run has ended. */
  drop(run: RunId): void
  /** Values that must not be written anywhere. */
  secrets(): readonly string[]
}

export function createCallerEnvironments(): CallerEnvironments {
  const known = new Map<RunId, Environment>()
  return {
    put(run, environment) {
      if (environment !== undefined) known.set(run, environment)
    },
    find: (run) => known.get(run),
    drop: (run) => void known.delete(run),
    secrets: () => [
      ...new Set([...known.values()].flatMap((environment) => secretsIn(environment))),
    ],
  }
}

const secretsIn = (environment: Environment): readonly string[] =>
  Object.entries(environment).flatMap(([name, value]) =>
    isSecretName(name) && value !== undefined && value !== '' ? [value] : [],
  )
