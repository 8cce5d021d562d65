export { acpProgram } from './acp-program.ts'
export { askVersion, askWith } from './ask-version.ts'
export {
  type FetchOptions,
  type FetchPlan,
  fetchAgent,
  planFetch,
  removeAgent,
  requireProgram,
} from './fetch-agent.ts'
export {
  type FoundProgram,
  findAgentProgram,
  howToGet,
  requireAgentProgram,
  type Wanted,
  type WhereToLook,
} from './find-program.ts'
export {
  type AgentFound,
  type AgentKey,
  type AgentProtocol,
  type AgentsFound,
  listAgents,
} from './list-agents.ts'
export type { Finding, FindingName } from './trial-findings.ts'
export { type AgentTrial, type TryAgentOptions, trialBudget, tryAgent } from './try-agent.ts'
