/** Building blocks for the cases of the contract. */

import { type AgentReport, type AgentTask } from '../../loop/index.ts'
import { ContractError, requireReport } from './contract-rules.ts'
import type { Scene, SceneOptions, Trial, TrialOptions } from './open-scene.ts'

/** The agent under test, and how it behaves. */
export interface AgentContractOptions extends SceneOptions {
  /** Something that it does. The word should be in what it says, calls or notes, if that is possible. */
  task?(word: string): AgentTask
  /** The status of its report on that task. Default: `done`. */
  readonly status?: AgentReport['status']
  /** It reserves, and settles what it reserved. Otherwise it has to spend nothing. */
  readonly spends?: boolean
  /** Without a workspace it says so. Otherwise it has to do without. */
  readonly needsWorkspace?: boolean
  /** It ends before it could be stopped. Otherwise it must be stoppable while it works. */
  readonly isInstant?: boolean
  /** How long it works before it is stopped. Default: half a second. */
  readonly startMs?: number
}

/** The options with their defaults. */
export interface Stage extends AgentContractOptions {
  task(word: string): AgentTask
  readonly startMs: number
}

export interface CasePlan {
  readonly name: string
  /** Tools hang, and so should everything else. */
  readonly isSlow?: boolean
  /** Resources that are still alive are a failure. */
  readonly leavesNothing?: boolean
  play(scene: Scene, stage: Stage): Promise<unknown>
}

/** Anything it does after its end is too late. */
export const lateMs = 50

export interface Work {
  readonly trial: Trial
  readonly report: AgentReport
}

export async function workOn(
  scene: Scene,
  { task }: Stage,
  word = 'curlew',
  options: TrialOptions = {},
): Promise<Work> {
  const trial = await scene.start(task(word), options)
  return { trial, report: requireReport(await trial.end()) }
}

export function requireStatus(
  { status, text }: AgentReport,
  { status: wanted = 'done' }: Stage,
): void {
  if (status === wanted) return
  const said = text.slice(0, 500)
  throw new ContractError(`It reported ${status} where ${wanted} was expected: ${said}`)
}

/** The same steps for the same task: words may differ. */
export function requireAlike(one: Work, other: Work, when: string): void {
  const shape = ({ trial, report }: Work): string =>
    [
      `reported ${report.status}`,
      `made ${trial.calls.length} calls`,
      `made ${trial.reservations.length} reservations`,
    ].join(', ')
  const [wanted, found] = [shape(one), shape(other)]
  if (wanted === found) return
  throw new ContractError(
    `${when} it ${found}; alone it ${wanted}. Start from scratch in each \`work\`.`,
  )
}

export function requireAtWork(trial: Trial): void {
  if (!trial.isOver()) return
  throw new ContractError(
    'It was over before it could be stopped. Make one that works for a minute when `isSlow` is set.',
  )
}

export async function requireQuiet(trial: Trial): Promise<void> {
  await pause(lateMs)
  const [first] = trial.late()
  if (first === undefined) return
  throw new ContractError(`It ${first} after its end. Wait for all that it does before it reports.`)
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))
