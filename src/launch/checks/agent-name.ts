/** An agent of a loop file, for people and for the record. */

import { findCommandFiles } from '../../evidence/index.ts'
import type { AgentSettings } from '../../protocol/index.ts'

/** For people. */
export function agentName(agent: AgentSettings): string {
  switch (agent.type) {
    case 'command':
      return agent.command.join(' ')
    case 'program':
      return agent.model === undefined ? agent.program : `${agent.program} ${agent.model}`
    case 'acp':
      return typeof agent.acp === 'string' ? agent.acp : agent.acp.join(' ')
    case 'model':
      return agent.model
    case 'repair':
    case 'script':
      return agent.type
  }
}

/** A judge or consultant that is a script of the work could be told what to say. */
export function filesOfAgent(agent: AgentSettings): readonly string[] {
  if (agent.type === 'command') return findCommandFiles(agent.command)
  return agent.type === 'acp' && typeof agent.acp !== 'string' ? findCommandFiles(agent.acp) : []
}
