export {
  type AcpAgentOptions,
  type AcpMcpServer,
  type Agent,
  type AgentProgram,
  acpAgent,
  agentProgram,
  type CommandAgentOptions,
  commandAgent,
  createAgents,
  knownPrograms,
  type LineReader,
  type ModelAgentOptions,
  modelAgent,
  type Permissions,
  type ProgramAgentOptions,
  type ProgramEvent,
  type ProgramName,
  programAgent,
  type RepairAgentOptions,
  type ResolvedModel,
  type ResolveModelOptions,
  repairAgent,
  resolveModel,
  type Scene,
  type Script,
  type ScriptedAgentOptions,
  type ScriptedPlay,
  type ScriptedTurn,
  scriptedAgent,
} from '../agents/index.ts'
export { moreChecks, runLimits, runWorktree } from '../definition/config/apply-settings.ts'
export {
  type ConfigOptions,
  type LoadedConfig,
  loadConfig,
  loadDaemonConfig,
} from '../definition/config/load-config.ts'
export type { LoadOptions, LoopPreview } from '../definition/load-options.ts'
export {
  LoopFileError,
  type LoopFileProblem,
  parseLoopFile,
} from '../definition/loop-file/index.ts'
export type {
  Actions,
  Agents,
  AnyLoopType,
  Check,
  CheckContext,
  Checkpoint,
  Clock,
  Command,
  CommandResult,
  Commands,
  DriveEnd,
  Found,
  Gate,
  Hook,
  HookContext,
  HookPoint,
  NewQueueRow,
  QueueRow,
  RemoveOptions,
  RunFilter,
  RunRow,
  StartProcess,
  Tools,
  Verdict,
} from '../engine/index.ts'
export type { CalibrationReport } from '../evidence/index.ts'
export {
  agentEnvironment,
  type Exchange,
  type ExchangeBody,
  faultOf,
  type Gateway,
  type GatewayNote,
  type GatewayOptions,
  openGateway,
  readExchange,
  readKeys,
  type Session,
  type SessionOptions,
  type SessionTotals,
} from '../gateway/index.ts'
export type { DiffOptions, RunDiff } from '../history/diff-run.ts'
export type { Inspection } from '../history/inspect-run.ts'
export { loadExchange } from '../history/load-exchange.ts'
export { loadStored } from '../history/load-stored.ts'
export type { ReviewedQuestion } from '../history/review-question.ts'
export {
  type AgentFound,
  type AgentKey,
  type AgentProtocol,
  type AgentsFound,
  type AgentTrial,
  type FetchOptions,
  type FetchPlan,
  type Finding,
  type FindingName,
  fetchAgent,
  listAgents,
  planFetch,
  removeAgent,
  type TryAgentOptions,
  trialBudget,
  tryAgent,
} from '../launch/agents/index.ts'
export type { CalibrateLoopOptions } from '../launch/calibrate/index.ts'
export { type CommandCheckOptions, commandCheck } from '../launch/checks/command-check.ts'
export type { PlannedCheck, PlannedChecks } from '../launch/checks/plan-checks.ts'
export {
  type CodeLoop,
  type CodeLoopCheck,
  type CodeLoopCommand,
  type CodeLoopSandbox,
  type CodeLoopSection,
  type Duration,
  defineLoop,
  type Size,
} from '../launch/code-loop/define-loop.ts'
export type { OpenPlace } from '../launch/launch-place.ts'
export {
  distrustLoop,
  type LoopReport,
  loadLoop,
  previewLoop,
  trustedLoops,
  trustLoop,
  validateLoop,
} from '../launch/load-loop.ts'
export type { LoadedLoop, OpenedLoop } from '../launch/loaded-loop.ts'
export { type PlanOptions, planRun } from '../launch/plan/plan-run.ts'
export { wouldWait } from '../launch/plan/would-wait.ts'
export { requireReady } from '../launch/preflight/index.ts'
export { type Difference, describeDifference } from '../launch/replay/find-difference.ts'
export type { Replay, ReplayOptions, ReplayResult, ReplayStart } from '../launch/replay/index.ts'
export {
  type Action,
  type AgentContext,
  type AgentEnd,
  type AgentNote,
  type AgentReport,
  type AgentTask,
  type AgentUsed,
  type Amount,
  type Answer,
  type ArtifactContent,
  type ArtifactRef,
  type BlobId,
  type Branches,
  type BranchResults,
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
  type Evidence,
  errorTable,
  type Fault,
  FaultError,
  type Iteration,
  type IterationWorkspace,
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
  type Reservation,
  type RetryPolicy,
  type Risk,
  type RunEvent,
  type RunId,
  type RunState,
  type RunStatus,
  rateLimited,
  renderProgress,
  type Signal,
  type Source,
  type StepContext,
  type StepId,
  type StepNote,
  type StepOptions,
  type SystemProgress,
  statusAliases,
  type ToolContext,
  type ToolDescription,
  type ToolNote,
  type ToolResult,
  type TreeId,
  transitions,
} from '../loop/index.ts'
export {
  createTemplate,
  type PlainContext,
  type PlainInput,
  type PlainLoop,
  type PlainProgress,
  type PlainResult,
  type PlainSettings,
  type PromptSection,
  plainLoop,
  type Template,
  type TemplateOptions,
} from '../loops/index.ts'
export { type ChosenWorktree } from '../protocol/loop-file/chosen-worktree.ts'
export type { ForkComparison, ForkSide } from '../runs/compare-fork.ts'
export { forkFolder } from '../runs/fork-folder.ts'
export type {
  CreateForkOptions,
  CreateOptions,
  ExportOptions,
  ForkOptions,
  HostOptions,
  Queued,
  RestoreOptions,
  ResumeOptions,
  RunParts,
  StartOptions,
} from '../runs/options.ts'
export type { RunHandle } from '../runs/run-handle.ts'
export type { PlaceForkOptions, PlaceOptions, RunPlace } from '../runs/run-place.ts'
export {
  type PlannedWorktree,
  planWorktree,
  type WorktreeChoice,
} from '../runs/worktree-options.ts'
export type {
  CleanedWorktree,
  CleanOptions,
  RunWorktreeEntry,
  WorktreesOptions,
} from '../runs/worktrees-of-runs.ts'
export {
  createPlainCommands,
  type NetworkProxy,
  type NetworkProxyOptions,
  openNetworkProxy,
  openSandbox,
  type ProbeResult,
  type ProtectedPaths,
  protectedPaths,
  type Sandbox,
  type SandboxLimits,
  type SandboxOptions,
  type SandboxPlace,
  type SandboxReport,
  type Tier,
} from '../sandbox/index.ts'
export {
  type BuiltInToolsOptions,
  builtInTools,
  connectMcp,
  createTools,
  defineTool,
  type JsonSchema,
  type McpOptions,
  type McpProblem,
  type McpServer,
  type McpTools,
  type OutputFile,
  type OutputFolder,
  type Protection,
  searchTools,
  type Tool,
  type ToolAnswer,
  type ToolArgs,
  type ToolDefinition,
  ToolError,
  type ToolRunContext,
  type ToolsOptions,
} from '../tools/index.ts'
export type { MergeResult, MergeStrategy } from '../workspace/index.ts'
export * from './after-run.ts'
export type { Collected } from './collect-garbage.ts'
export {
  type Examination,
  examine,
  type KeysFound,
  type ProviderFound,
  type RecordFound,
} from './doctor.ts'
export type { Host } from './host.ts'
export type { MergeOptions } from './merge-run.ts'
export { openHost } from './open-host.ts'
export type { RemovedRun, WorktreeRemoval } from './remove-run.ts'
export { type RunResult, runLoop } from './run-loop.ts'
