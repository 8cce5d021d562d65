/** What other folders use. Agents that are large are imported from their files, when a loop uses one. */

export { type ProgramName, programNames } from '../loop/index.ts'
export { createTimeLimitedSignal } from './abortable.ts'
export { acpLaunch } from './acp/known-acp-agents.ts'
export { type Agent, createAgents } from './agent.ts'
export { commandAgent } from './command-agent.ts'
export type {
  AcpLaunch,
  AgentProgram,
  Launch,
  LaunchOptions,
  ModelProvider,
} from './programs/agent-program.ts'
export { withOwnLogin } from './programs/own-login.ts'
export { agentProgram, isProgramName, knownPrograms } from './programs/programs.ts'
export { isSecretName } from './redact.ts'
export { createMissingKeyError, describeModel, resolveModel } from './resolve-model.ts'
export { scriptedAgent } from './scripted-agent.ts'
