export { type ProgramName, programNames } from '../loop/index.ts'
export { createTimeLimitedSignal } from './abortable.ts'
export { type AcpAgentOptions, acpAgent } from './acp/acp-agent.ts'
export { acpLaunch } from './acp/known-acp-agents.ts'
export { type Agent, createAgents } from './agent.ts'
export { commandAgent } from './command-agent.ts'
export { type ModelAgentOptions, modelAgent } from './model-agent.ts'
export type {
  AcpLaunch,
  AgentProgram,
  Launch,
  LaunchOptions,
  ModelProvider,
} from './programs/agent-program.ts'
export { withOwnLogin } from './programs/own-login.ts'
export { type ProgramAgentOptions, programAgent, toLaunch } from './programs/program-agent.ts'
export { agentProgram, isProgramName, knownPrograms } from './programs/programs.ts'
export { isSecretName } from './redact.ts'
export { repairAgent } from './repair/repair-agent.ts'
export { createMissingKeyError, describeModel, resolveModel } from './resolve-model.ts'
export { scriptedAgent } from './scripted-agent.ts'
