export { type AgentsFound } from './list-agents.ts'
export { type AgentTrial } from './try-agent.ts'
