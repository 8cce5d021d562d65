export { type ProgramName, programNames } from '../loop/index.ts'
export { boundedSignal } from './abortable.ts'
export { type AcpAgentOptions, acpAgent } from './acp/acp-agent.ts'
export type { AcpMcpServer } from './acp/acp-session.ts'
export { acpLaunch } from './acp/known-acp-agents.ts'
export { type Permissions, permissionRules } from './acp/permissions.ts'
export { type Agent, createAgents } from './agent.ts'
export { type CommandAgentOptions, commandAgent } from './command-agent.ts'
export type { Ask, Brain, CallResult, Message, Reply, Stop, ToolCall } from './conversation.ts'
export { type ModelAgentOptions, modelAgent } from './model-agent.ts'
export type { Price, SdkModel, TokenUsage } from './model-types.ts'
export type {
  AcpLaunch,
  AgentProgram,
  Capabilities,
  Conclusion,
  Launch,
  LaunchOptions,
  LineReader,
  ModelProvider,
  ProgramEvent,
  ProgramExit,
} from './programs/agent-program.ts'
export { withOwnLogin } from './programs/own-login.ts'
export { launchOf, type ProgramAgentOptions, programAgent } from './programs/program-agent.ts'
export { agentProgram, isProgramName, knownPrograms } from './programs/programs.ts'
export { isSecretName } from './redact.ts'
export { type RepairAgentOptions, repairAgent } from './repair/repair-agent.ts'
export {
  describeModel,
  type ModelDescription,
  missingKey,
  type ResolvedModel,
  type ResolveModelOptions,
  resolveModel,
} from './resolve-model.ts'
export {
  type Scene,
  type Script,
  type ScriptedAgentOptions,
  type ScriptedPlay,
  type ScriptedTurn,
  scriptedAgent,
} from './scripted-agent.ts'
export { defaultTurnsMax, runToolLoop, type ToolLoopOptions } from './tool-loop.ts'
