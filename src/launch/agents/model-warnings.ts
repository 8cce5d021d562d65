/** Whether an agent will have a key for its model, for those who only look. */

import { agentProgram } from '../../agents/index.ts'
import { isLoopError } from '../../loop/index.ts'
import type { AgentSettings, LoopFile } from '../../protocol/index.ts'
import type { Environment } from '../../system/environment.ts'
import { differentAgents } from '../loop-warnings.ts'
import { createModelDoor } from '../shared-gateway.ts'
import { requireKey } from './model-key.ts'
import { chooseModel } from './program-model.ts'

/** A provider that there is none of is wrong; a key that is not set may be set tomorrow. */
export async function modelWarnings(
  agents: LoopFile['agents'],
  environment: Environment,
): Promise<readonly string[]> {
  const warnings: string[] = []
  for (const [key, agent] of differentAgents(agents)) {
    const problem = await keyProblem(agent, environment)
    if (problem !== undefined) warnings.push(`${key}.model: ${problem}`)
  }
  return warnings
}

/** Undefined: it has a key, or needs none. */
export async function keyProblem(
  agent: AgentSettings,
  environment: Environment,
): Promise<string | undefined> {
  const place = { models: createModelDoor(environment), environment }
  try {
    if (agent.type === 'model') await requireKey(agent, place)
    if ((agent.type === 'program' || agent.type === 'acp') && !agent.subscription) {
      const name = agent.type === 'program' ? agent.program : agent.acp
      if (typeof name === 'string') await chooseModel(agentProgram(name), agent.model, place)
    }
    return undefined
  } catch (error) {
    if (isLoopError(error, 'not-configured')) return error.message
    throw error
  }
}
