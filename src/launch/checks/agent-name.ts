/** The name of an agent of a loop file, and the files that its command names. */

import { findCommandFiles } from '../../evidence/index.ts'
import type { AgentSettings } from '../../protocol/index.ts'

/** For display. */
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

/** Files of the work that a judge or consultant runs: the maker could change what they answer. */
export function filesOfAgent(agent: AgentSettings): readonly string[] {
  if (agent.type === 'command') return findCommandFiles(agent.command)
  return agent.type === 'acp' && typeof agent.acp !== 'string' ? findCommandFiles(agent.acp) : []
}
