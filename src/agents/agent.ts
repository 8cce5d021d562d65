/** An agent is one function; a run knows its agents by role. */

import type { Agents } from '../engine/index.ts'
import { type AgentContext, type AgentReport, type AgentTask, LoopError } from '../loop/index.ts'

/** Contract: it ends when the signal aborts, and spends only what it reserved. */
export interface Agent {
  work(task: AgentTask, context: AgentContext): Promise<AgentReport>
}

/** The agents of a run, by role. */
export function createAgents(byRole: Readonly<Record<string, Agent>>): Agents {
  const agents = new Map(Object.entries(byRole))
  return {
    async work(role, task, context) {
      const agent = agents.get(role)
      if (agent === undefined) throw unknownRole(role, [...agents.keys()])
      return agent.work(task, context)
    },
  }
}

function unknownRole(role: string, known: readonly string[]): LoopError {
  const names =
    known.length === 0 ? 'No roles are configured' : `Configured roles: ${known.join(', ')}`
  const message = `There is no agent for the role "${role}". ${names}. Use one of them, or add it.`
  return new LoopError('not-configured', message)
}
