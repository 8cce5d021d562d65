export {
  type Agent,
  commandAgent,
  createAgents,
  modelAgent,
  resolveModel,
  type Script,
  scriptedAgent,
} from '../agents/index.ts'
export type {
  Actions,
  Agents,
  AnyLoopType,
  Check,
  CheckContext,
  Checkpoint,
  Clock,
  DriveEnd,
  Found,
  Gate,
  Hook,
  HookContext,
  HookPoint,
  RunRow,
  Tools,
  Verdict,
} from '../engine/index.ts'
export {
  type Action,
  type AgentContext,
  type AgentNote,
  type AgentReport,
  type AgentTask,
  type Amount,
  type Answer,
  type ArtifactRef,
  type CaptureLimits,
  type CheckResult,
  type CheckStatus,
  type Condition,
  captureProgress,
  type Decision,
  defaultLimits,
  describeEvent,
  describeOutcome,
  documentedStatus,
  type Ending,
  type ErrorCode,
  errorTable,
  type Fault,
  FaultError,
  type Iteration,
  isEnd,
  isLoopError,
  type Json,
  keepEnd,
  type Limits,
  LoopError,
  type LoopType,
  type Metrics,
  type OpenQuestion,
  type Outcome,
  type Question,
  type Receipt,
  type RecordedEvent,
  type Remaining,
  type RetryPolicy,
  type Risk,
  type RunEvent,
  type RunId,
  type RunState,
  type RunStatus,
  rateLimited,
  renderProgress,
  type Signal,
  type StepContext,
  type StepNote,
  type StepOptions,
  type SystemProgress,
  statusAliases,
  type ToolContext,
  type ToolDescription,
  type ToolResult,
  transitions,
} from '../loop/index.ts'
export { createTemplate, type PlainSettings, plainLoop, type Template } from '../loops/index.ts'
export { createPlainCommands } from '../sandbox/index.ts'
export {
  builtInTools,
  connectMcp,
  createTools,
  defineTool,
  type McpServer,
  type McpTools,
  searchTools,
  type Tool,
  ToolError,
} from '../tools/index.ts'
export {
  type CodeLoop,
  type CodeLoopCommand,
  type CodeLoopSection,
  defineLoop,
} from './code-loop/define-loop.ts'
export type { Collected } from './collect-garbage.ts'
export { type CommandCheckOptions, commandCheck } from './command-check.ts'
export type { Host, Inspection } from './host.ts'
export { type LoopReport, loadLoop, previewLoop, trustLoop, validateLoop } from './load-loop.ts'
export type {
  LoadedLoop,
  LoadOptions,
  LoopPreview,
  OpenedLoop,
  OpenPlace,
} from './loaded-loop.ts'
export { LoopFileError, type LoopFileProblem, parseLoopFile } from './loop-file/index.ts'
export { openHost } from './open-host.ts'
export type {
  ExportOptions,
  ForkOptions,
  HostOptions,
  RestoreOptions,
  ResumeOptions,
  RunParts,
  StartOptions,
} from './options.ts'
export type { RunHandle } from './run-handle.ts'
export { type RunResult, runLoop } from './run-loop.ts'
export { stateFolder } from './state-folder.ts'
