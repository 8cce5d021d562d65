/** What `loopwright/agents` exports: the built-in agents, and what an agent of your own is given and returns. */

export type {
  AgentContext,
  AgentEnd,
  AgentNote,
  AgentReport,
  AgentTask,
  Amount,
  ProgramName,
  Reservation,
  ToolDescription,
  ToolResult,
} from '../loop/index.ts'
export { type AcpAgentOptions, acpAgent } from './acp/acp-agent.ts'
export type { AcpMcpServer } from './acp/acp-session.ts'
export type { Permissions } from './acp/permissions.ts'
export { type Agent, createAgents } from './agent.ts'
export { type CommandAgentOptions, commandAgent } from './command-agent.ts'
export { type ModelAgentOptions, modelAgent } from './model-agent.ts'
export type {
  AgentProgram,
  LineReader,
  ProgramEvent,
} from './programs/agent-program.ts'
export { type ProgramAgentOptions, programAgent } from './programs/program-agent.ts'
export { agentProgram, knownPrograms } from './programs/programs.ts'
export { type RepairAgentOptions, repairAgent } from './repair/repair-agent.ts'
export { type ResolvedModel, type ResolveModelOptions, resolveModel } from './resolve-model.ts'
export {
  type Scene,
  type Script,
  type ScriptedAgentOptions,
  type ScriptedPlay,
  type ScriptedTurn,
  scriptedAgent,
} from './scripted-agent.ts'
