/** How a run ended. Exactly one per run; it names the condition that ended it. */

import type { SpendingLimitName } from './budget.ts'
import type { Fault } from './fault.ts'
import type { CertificateId, RunId } from './ids.ts'

/** Work of another run on the same task and the same files. */
export interface EarlierRun {
  readonly run: RunId
  readonly name: string
  readonly certificate: CertificateId
  /** The branch with the work. Absent: the run had none. */
  readonly branch?: string
}

export type LimitName = 'iterations' | SpendingLimitName | 'time' | 'deadline'

/** How a run ended. */
export type Outcome =
  /** A condition that means success was met, here or by an earlier run with the same task. */
  | { readonly type: 'completed'; readonly condition: string; readonly earlier?: EarlierRun }
  /** A limit was reached first. */
  | { readonly type: 'exhausted'; readonly limit: LimitName; readonly condition: string }
  /** A policy does not allow the next iteration. */
  | {
      readonly type: 'denied'
      /** The ids of the rules. Empty: no rule permits it. */
      readonly rules: readonly string[]
      readonly reason: string
    }
  /** Continuing would repeat what did not help. */
  | { readonly type: 'stuck'; readonly condition: string; readonly detail: string }
  /** Ended on request, after the current iteration. */
  | { readonly type: 'stopped'; readonly by: string; readonly reason: string }
  /** Ended on request, immediately. */
  | { readonly type: 'cancelled'; readonly by: string; readonly reason: string }
  /** `preflight`: before the first iteration, so no work was done. */
  | { readonly type: 'failed'; readonly fault: Fault; readonly preflight?: true }

export type OutcomeType = Outcome['type']

/** One line: only the first line of a stack. */
export function describeFault({ code, message }: Fault): string {
  const [first = ''] = message.split('\n')
  return first === code ? code : `${code}: ${first}`
}

/** One line for people. */
export function describeOutcome(outcome: Outcome): string {
  switch (outcome.type) {
    case 'completed':
      return outcome.earlier === undefined
        ? `completed: ${outcome.condition}`
        : `already done by run "${outcome.earlier.name}"`
    case 'exhausted':
      return `exhausted: ${outcome.limit} (${outcome.condition})`
    case 'denied':
      return `denied by policy: ${outcome.reason}`
    case 'stuck':
      return `stuck: ${outcome.condition} (${outcome.detail})`
    case 'stopped':
    case 'cancelled':
      return `${outcome.type} by ${outcome.by}: ${outcome.reason}`
    case 'failed':
      return `failed: ${describeFault(outcome.fault)}`
  }
}

/** The run ended without any work: another run had already done it, or its setup has to be fixed first. */
export const endedWithoutWork = (outcome: Outcome): boolean =>
  (outcome.type === 'completed' && outcome.earlier !== undefined) ||
  (outcome.type === 'failed' && outcome.preflight === true)
