/** What a check found, bound to the tree it looked at. */

import type { TreeId } from './ids.ts'

export type CheckStatus = 'met' | 'not-met' | 'error' | 'timeout' | 'skipped'

export interface CheckResult {
  readonly check: string
  readonly status: CheckStatus
  readonly exitCode?: number
  /** The end of what it printed. */
  readonly output: string
  readonly durationMs: number
  /** Absent where the run has no workspace. */
  readonly tree?: TreeId
}

/** The part that state keeps: enough to say whether a check passed on the tree as it is now. */
export interface Evidence {
  readonly status: CheckStatus
  readonly iteration: number
  readonly tree?: TreeId
}

/** E5's core: every named check met, on this tree. An empty list is never "all met". */
export function checksPass(
  names: readonly string[],
  evidence: { readonly [check: string]: Evidence },
  tree: TreeId | undefined,
): boolean {
  return (
    names.length > 0 &&
    names.every((name) => {
      const found = Object.hasOwn(evidence, name) ? evidence[name] : undefined
      return found?.status === 'met' && found.tree === tree
    })
  )
}
