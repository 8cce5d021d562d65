export { type AgentList } from './list-agents.ts'
export { type AgentTrial } from './try-agent.ts'
