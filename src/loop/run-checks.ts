/** The checks of a run: what each one is, and its status on the current files. */

import { defined } from './defined.ts'
import type { PreflightCheck } from './event.ts'
import type { CheckDescription, CheckKind, CheckStatus, StandardCondition } from './evidence.ts'
import type { TreeId } from './ids.ts'
import type { RunState } from './state.ts'

/** `pending`: it has not run on the current files. */
export type RunCheckStatus = CheckStatus | 'pending'

export interface RunCheck {
  readonly check: string
  readonly status: RunCheckStatus
  /** Absent: an earlier version wrote the run. */
  readonly kind?: CheckKind
  readonly condition?: StandardCondition
  /** The last iteration that it ran in, and its result there. Absent: it has not run. */
  readonly last?: { readonly status: CheckStatus; readonly iteration: number }
  /** Its result on the base. Absent: unknown. */
  readonly base?: PreflightCheck['answer']
}

type Known = Pick<RunState, 'checks' | 'evidence' | 'preflight'>

/** In the order of the loop file, followed by those that only the evidence names. */
export function listRunChecks(state: Known, tree: TreeId | undefined): readonly RunCheck[] {
  const described = state.checks ?? []
  const names = [...described.map(({ check }) => check), ...Object.keys(state.evidence)]
  return [...new Set(names)].map((check) => {
    const { kind, condition } = findDescription(state, check) ?? {}
    const found = Object.hasOwn(state.evidence, check) ? state.evidence[check] : undefined
    const base = state.preflight?.checks.find((one) => one.check === check)?.answer
    return {
      check,
      status: found === undefined || found.tree !== tree ? 'pending' : found.status,
      ...defined({ kind, condition }),
      ...(found === undefined
        ? {}
        : { last: { status: found.status, iteration: found.iteration } }),
      ...(base === undefined || base === 'unknown' ? {} : { base }),
    }
  })
}

export const findDescription = (
  { checks }: Pick<RunState, 'checks'>,
  check: string,
): CheckDescription | undefined => checks?.find((one) => one.check === check)

/** Checks that failed on the base. */
export const failedOnBase = ({ preflight }: Pick<RunState, 'preflight'>): readonly string[] =>
  (preflight?.checks ?? []).flatMap(({ check, answer }) => (answer === 'fails' ? [check] : []))
