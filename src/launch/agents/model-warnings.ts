/** Warns if an agent has no key for its model, without failing. */

import { agentProgram } from '../../agents/index.ts'
import { isLoopError } from '../../loop/index.ts'
import type { AgentSettings, LoopFile } from '../../protocol/index.ts'
import type { Environment } from '../../system/environment.ts'
import { differentAgents } from '../loop-warnings.ts'
import { createSharedGateway } from '../shared-gateway.ts'
import { chooseModel } from './program-model.ts'
import { requireKey } from './require-key.ts'

/** An unknown provider is an error; a missing key may be set later, so it is a warning. */
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
  const place = { models: createSharedGateway(environment), environment }
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
