/** An agent that speaks ACP: started behind the walls, led to its models through the gateway. */

import type { Agent } from '../agents/index.ts'
import { LoopError } from '../loop/index.ts'
import type { AcpAgentSettings } from '../protocol/index.ts'
import type { AgentParts } from './agent-parts.ts'

export async function openAcp(_settings: AcpAgentSettings, _parts: AgentParts): Promise<Agent> {
  throw new LoopError('not-available', 'Agents that speak ACP cannot be started yet.')
}
