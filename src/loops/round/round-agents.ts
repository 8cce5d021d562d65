/**
 * Maker and checker. A fault of one of them is data: it becomes the outcome of the round. What is thrown ends the run or
 * interrupts it: it was stopped, a provider limits the rate, or this exact attempt was made before.
 */

import {
  type AgentReport,
  type AgentTask,
  defined,
  FaultError,
  type Risk,
  type StepOptions,
  type ToolLimits,
} from '../../loop/index.ts'
import type { RoundAgent, RoundOutcome } from '../../protocol/round/round-report.ts'
import { toBudgetLimit } from './round-budget.ts'
import { reportRisks } from './round-keys.ts'
import type { RoundSession } from './round-session.ts'

export type AgentEnded =
  | { readonly type: 'reported'; readonly report: AgentReport }
  | { readonly type: 'ended'; readonly outcome: RoundOutcome }

const passedOn: ReadonlySet<string> = new Set(['rate-limited', 'no-new-evidence', 'already-done'])

export async function letWork(
  { it }: Pick<RoundSession, 'it'>,
  role: 'maker' | 'checker',
  task: AgentTask,
  options: StepOptions,
): Promise<AgentEnded> {
  try {
    const report = await it.agent(role, task, options)
    if (report.status !== 'failed') return { type: 'reported', report }
    return ended(`${role} failed: ${report.text.trim() || (report.ended ?? 'no reason is known')}`)
  } catch (error) {
    if (!(error instanceof FaultError) || passedOn.has(error.fault.code)) throw error
    const { fault } = error
    const limit = toBudgetLimit(fault)
    if (limit !== undefined) return { type: 'ended', outcome: { type: 'budget-exhausted', limit } }
    const what = fault.code.startsWith('sandbox') ? 'sandbox spawn failed' : `${role} failed`
    return ended(`${what}: ${fault.message}`)
  }
}

const errorCharsMax = 2000

const ended = (error: string): AgentEnded => ({
  type: 'ended',
  outcome: { type: 'failed', error: error.slice(0, errorCharsMax) },
})

const textCharsMax = 16_000

/** An agent that ran out of turns has concerns if it said something, and is blocked if it did not. */
export function toRoundAgent({ status, text, turns, ended: how }: AgentReport): RoundAgent {
  const said = text.trim().slice(0, textCharsMax)
  const known = status === 'failed' ? 'blocked' : status
  const outOfTurns = said === '' ? 'blocked' : 'done-with-concerns'
  return {
    status: how === 'limit' ? outOfTurns : known,
    iterations: turns,
    ...(said === '' ? {} : { text: said }),
  }
}

/** The maker of a round that only reports changes nothing, and calls nothing that could. */
export function makerOptions({
  begun,
  settings: { permissions, tools },
}: Pick<RoundSession, 'begun' | 'settings'>): StepOptions {
  const { mode = 'default', deny = [], allow = [] } = permissions ?? {}
  const only = defined({ only: tools?.maker })
  if (begun.level === 1) return { readOnly: true, tools: { ...only, deny, risks: reportRisks } }
  // Denied ones first, then allowed ones, then by the mode.
  const risks: ToolLimits['risks'] = mode === 'plan' ? planRisks : undefined
  return { tools: { ...only, deny, allow, ...defined({ risks }) } }
}

const planRisks: readonly Risk[] = ['read-only', 'idempotent', 'network']

/** It never writes, at any level. */
export const checkerOptions = ({
  settings: { tools },
}: Pick<RoundSession, 'settings'>): StepOptions => ({
  readOnly: true,
  tools: { ...defined({ only: tools?.checker }), risks: reportRisks },
})
