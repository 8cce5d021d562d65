/** What a certifier can use outside of the steps of a run. */

import type { CertifyContext } from '../../engine/index.ts'
import {
  type AgentContext,
  defaultLimits,
  type Json,
  type Signal,
  type StepContext,
  type StepId,
} from '../../loop/index.ts'
import type { RunParts } from '../../runs/options.ts'

export interface CertifyMoney extends Pick<StepContext, 'spend' | 'reserve'> {
  remainingMicros(): number
}

/** Outside a run nothing is journaled, but judges are still metered. */
export function createCertifyContext(
  { tools }: Pick<RunParts, 'tools'>,
  money: CertifyMoney,
  signal: Signal,
): CertifyContext {
  const { spend, reserve } = money
  const step = 'certify:files#1' as StepId
  const shared = { signal, attempt: 1, spend, reserve, iteration: 0 }
  const callTool = async (name: string, args: Json, workspace?: string) => {
    if (tools !== undefined) return tools.call(name, args, { ...shared, workspace })
    return { ok: false, error: 'unknown-tool', output: `There is no tool "${name}".` }
  }
  const agentContext = (workspace: string): AgentContext => ({
    ...shared,
    step,
    workspace,
    remaining: () => ({
      iterations: 1,
      timeMs: defaultLimits.timeMs,
      tokens: defaultLimits.tokens,
      costMicros: money.remainingMicros(),
    }),
    tools: async () => (await tools?.list?.()) ?? [],
    callTool: (name, args) => callTool(name, args, workspace),
    note: () => undefined,
  })
  return {
    ...shared,
    step,
    work: (agents, role, task, workspace) => agents.work(role, task, agentContext(workspace)),
    callTool: (name, args) => callTool(name, args),
  }
}
