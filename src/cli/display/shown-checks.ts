/** The checks of an iteration as `show` lists them: those that ran, and those that are pending. */

import { type CheckResult, defined, type RunCheck, type RunCheckStatus } from '../../loop/index.ts'

export interface ShownCheck extends Omit<CheckResult, 'status'> {
  readonly status: RunCheckStatus
}

/** `isOpen`: the iteration has not ended, so that checks which have not run may still run in it. */
export function showChecks(
  ran: readonly CheckResult[],
  known: readonly RunCheck[],
  isOpen: boolean,
): readonly ShownCheck[] {
  const failedBefore = (name: string): { readonly existing?: true } =>
    known.some(({ check, base }) => check === name && base === 'fails') ? { existing: true } : {}
  const pending = isOpen ? known.filter(({ check }) => !ran.some((one) => one.check === check)) : []
  return [
    ...ran.map((one) => (one.status === 'met' ? one : { ...failedBefore(one.check), ...one })),
    ...pending.map(({ check, kind }) => ({
      check,
      status: 'pending' as const,
      output: '',
      durationMs: 0,
      ...defined({ kind }),
      ...failedBefore(check),
    })),
  ]
}
