/** The context of a check: judges are agents of the run, metered and noted as part of its step. */

import { LoopError, type StepContext, type StepId } from '../../loop/index.ts'
import type { Branch } from '../live-run.ts'
import type { Meter } from '../meter.ts'
import type { CheckContext } from '../ports.ts'
import { agentContext } from './tool-calls.ts'

export function checkContext(
  branch: Branch,
  step: StepId,
  context: StepContext,
  meter: Meter,
): CheckContext {
  const { ports } = branch.iteration.run
  const used = { notes: 0, calls: 0 }
  const agent = agentContext(branch, step, context, { used })
  return {
    ...context,
    iteration: agent.iteration,
    workspace: agent.workspace,
    async work(role, task) {
      if (ports.agents !== undefined) {
        const metered = { ...context, reserve: meter.reserveFor(role) }
        const judge = agentContext(branch, step, metered, { agent: role, used })
        return ports.agents.work(role, task, judge)
      }
      const message = `The check needs an agent for the role "${role}", but this run has none.`
      throw new LoopError('not-configured', `${message} Configure an agent for the run.`)
    },
    callTool: (name, args) => agent.callTool(name, args),
    ...filesOf(branch),
  }
}

const patchBytesMax = 60_000

/** Compared with the base. */
function filesOf(branch: Branch): Pick<CheckContext, 'changes' | 'tree' | 'base'> {
  const { ports, recorder } = branch.iteration.run
  const { baseTree, tree } = recorder.state
  const patch = ports.workspace?.patch
  if (baseTree === undefined || tree === undefined) return {}
  const files = { tree, base: baseTree }
  return patch === undefined
    ? files
    : { ...files, changes: () => patch(baseTree, tree, patchBytesMax) }
}
