/** How a run ended. Exactly one per run, and it says which condition ended it. */

import type { Fault } from './fault.ts'
import type { CertificateId, RunId } from './ids.ts'

/** Work of another run that solved the same task on the same files. */
export interface Earlier {
  readonly run: RunId
  readonly name: string
  readonly certificate: CertificateId
  /** The branch that has the work. Absent: the run had none. */
  readonly branch?: string
}

export type LimitName = 'iterations' | 'tokens' | 'cost' | 'time' | 'deadline'

/** How a run ended. */
export type Outcome =
  /** A condition that means success was met, here or by an earlier run with the same task. */
  | { readonly type: 'completed'; readonly condition: string; readonly earlier?: Earlier }
  /** A limit was reached before that. */
  | { readonly type: 'exhausted'; readonly limit: LimitName; readonly condition: string }
  /** Going on would repeat what did not help. */
  | { readonly type: 'stuck'; readonly condition: string; readonly detail: string }
  /** Somebody asked for an end after the iteration under way. */
  | { readonly type: 'stopped'; readonly by: string; readonly reason: string }
  /** Somebody asked for an end at once. */
  | { readonly type: 'cancelled'; readonly by: string; readonly reason: string }
  /** `preflight`: before the first iteration, so nobody worked. */
  | { readonly type: 'failed'; readonly fault: Fault; readonly preflight?: true }

export type OutcomeType = Outcome['type']

/** One line: of a stack only where it begins. */
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
    case 'stuck':
      return `stuck: ${outcome.condition} (${outcome.detail})`
    case 'stopped':
    case 'cancelled':
      return `${outcome.type} by ${outcome.by}: ${outcome.reason}`
    case 'failed':
      return `failed: ${describeFault(outcome.fault)}`
  }
}

/** The run ended before anybody worked: another run had done it, or its set-up has to be fixed first. */
export const didNothing = (outcome: Outcome): boolean =>
  (outcome.type === 'completed' && outcome.earlier !== undefined) ||
  (outcome.type === 'failed' && outcome.preflight === true)
