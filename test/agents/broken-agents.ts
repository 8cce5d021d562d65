/** An agent that keeps the contract, and the parts of agents that break it. */

import { spawn } from 'node:child_process'
import type { Agent } from '../../src/agents/index.ts'
import type { AgentContext, AgentReport, AgentTask } from '../../src/loop/index.ts'
import type { AgentContractOptions, ContractScene } from '../../src/testing/index.ts'

export const worst = { tokens: 200, costMicros: 600 }
export const used = { tokens: 120, costMicros: 360 }
export const nothing = { tokens: 0, costMicros: 0 }
export type Work = Agent['work']

/** It calls a provider, writes a file with a tool, and reports it. */
export const keeper =
  ({ spending }: ContractScene): Work =>
  async (task, context) => {
    context.signal.throwIfAborted()
    const reservation = await context.reserve(worst)
    spending(used)
    try {
      const written = await context.callTool('write', { content: task.prompt.slice(0, 100) })
      context.note({ type: 'said', text: task.prompt.slice(0, 100) })
      const status = written.ok ? 'done' : 'failed'
      return { status, text: task.prompt.slice(0, 100), usage: used, turns: 1 }
    } finally {
      await reservation.settle(used)
    }
  }

export const report: AgentReport = { status: 'done', text: 'Yes.', usage: nothing, turns: 1 }

/** An agent that returns at once, spends nothing and calls nothing. */
export const plain: Work = async (_task, { signal }) => {
  signal.throwIfAborted()
  return report
}

/** Works as long as it is not stopped. */
export const waits = (signal: AgentContext['signal']): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })

export const options = {
  tools: { write: () => 'written' },
  spends: true,
  startMs: 40,
  endMs: 1000,
} as const

export interface Broken {
  readonly why: string
  readonly make: (scene: ContractScene) => Work
  readonly says: string
  readonly options?: Partial<AgentContractOptions>
}

export const frugal = { startMs: 40, endMs: 1000 }

/** Does what the keeper does, and then changes its report. */
export const reporting =
  (change: (report: AgentReport, task: AgentTask, context: AgentContext) => unknown) =>
  (scene: ContractScene): Work =>
  async (task, context) =>
    change(await keeper(scene)(task, context), task, context) as AgentReport

/** Gives it a modified context. */
export const within =
  (change: (context: AgentContext) => Partial<AgentContext>) =>
  (scene: ContractScene): Work =>
  (task, context) =>
    keeper(scene)(task, { ...context, ...change(context) })

export const sleeper = ['-e', 'setTimeout(() => undefined, 60_000)']

export function leaveProcess({ workspace = '.' }: AgentContext): void {
  const child = spawn(process.execPath, sleeper, {
    cwd: workspace,
    detached: true,
    stdio: 'ignore',
  })
  child.unref()
  children.push(child.pid ?? 0)
}

const children: number[] = []
/** Ends what the agents left, so that the tests leave nothing. */
export const endAll = (): void => {
  for (const timer of timers.splice(0)) clearInterval(timer)
  for (const id of children.splice(0)) {
    try {
      process.kill(id, 'SIGKILL')
    } catch {
      // The case has already ended it.
    }
  }
}

export const timers: NodeJS.Timeout[] = []
