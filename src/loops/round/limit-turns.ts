/** The turns of agents whose settings name none: a round needs fewer than a whole task. */

import { agentPrograms, isJsonObject, type JsonObject } from '../../protocol/index.ts'
import { turnsDefault } from './round-keys.ts'

/** As the file is written, before it is checked: what is wrong in it is reported as it is. */
export function limitTurns(written: JsonObject): JsonObject {
  const { agent, agents, turns = turnsDefault } = written
  const limited = (one: unknown): unknown => limit(one, turns)
  return {
    ...written,
    ...(agent === undefined ? {} : { agent: limited(agent) }),
    ...(isJsonObject(agents)
      ? {
          agents: Object.fromEntries(
            Object.entries(agents).map(([role, one]) => [role, limited(one)]),
          ),
        }
      : {}),
  } as JsonObject
}

/** Only models and agent programs have turns. */
function limit(agent: unknown, turns: unknown): unknown {
  if (agentPrograms.some((name) => name === agent)) return { program: agent, turns }
  if (!isJsonObject(agent) || 'turns' in agent) return agent
  const hasTurns = 'program' in agent || ('model' in agent && !('acp' in agent))
  return hasTurns ? { ...agent, turns } : agent
}
