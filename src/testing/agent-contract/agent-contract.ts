/**
 * What every agent has to keep, as cases for any test runner:
 *
 *     for (const { name, run } of agentContract({ make: () => myAgent })) test(name, run)
 *
 * Each case creates a new agent and rejects with a `ContractError` that says which rule was broken. Which
 * cases there are is decided by the options alone: an agent that does not spend has to show that it does
 * not, and so on. None passes because it did not apply.
 */

import { type AgentTask, textOf } from '../../loop/index.ts'
import type { AgentContractOptions, CasePlan, Stage } from './contract-case.ts'
import { ContractError } from './contract-rules.ts'
import { playScene } from './open-scene.ts'
import { frugal, spending } from './spend-cases.ts'
import { instant, stopCases, stoppable } from './stop-cases.ts'
import {
  doesWithoutAWorkspace,
  saysThatItNeedsAWorkspace,
  withoutTools,
  withTools,
  workCases,
} from './work-cases.ts'

/** One rule of the contract, as a case for any test runner. */
export interface ContractCase {
  /** A sentence about an agent. */
  readonly name: string
  run(): Promise<void>
}

/** The rules that every agent keeps, as cases for any test runner. */
export function agentContract(options: AgentContractOptions): readonly ContractCase[] {
  const { task = (word): AgentTask => ({ prompt: `Say the word ${word}.` }), startMs = 500 } =
    options
  const stage: Stage = { ...options, task, startMs }
  const plans = [
    ...workCases,
    ...stopCases,
    ...(options.isInstant === true ? instant : stoppable),
    ...(options.spends === true ? spending : frugal),
    ...(options.tools === undefined ? withoutTools : withTools),
    options.needsWorkspace === true ? saysThatItNeedsAWorkspace : doesWithoutAWorkspace,
  ]
  return plans.map((plan) => ({ name: plan.name, run: () => runCase(plan, stage) }))
}

async function runCase(plan: CasePlan, stage: Stage): Promise<void> {
  const { isSlow = false, leavesNothing = false } = plan
  const scene = { isSlow, looksAfter: leavesNothing }
  const { left, failure } = await playScene(stage, scene, (opened) => plan.play(opened, stage))
  if (left.length === 0) {
    if (failure === undefined) return
    throw failure.error
  }
  const advice = 'Clear timers, close what was opened, and wait for what was started to be gone.'
  const message = `It left behind: ${left.join(', ')}. ${advice}`
  if (failure === undefined) throw new ContractError(message)
  // What it did wrong first is not what this case is about, and may come of it.
  const { error } = failure
  throw new ContractError(`${message} Before that: ${textOf(error)}`, { cause: error })
}
