/** Exports of `loopwright`: define a loop type, run it, inspect runs, load loop files, verify certificates. */

export type { Agent } from '../agents/index.ts'
export { allowListGate, callbackGate } from '../authority/index.ts'
export type { LoadOptions, LoopPreview } from '../definition/load-options.ts'
export { LoopFileError } from '../definition/loop-file/index.ts'
export type {
  ActionLookup,
  Actions,
  Agents,
  AnyLoopType,
  Check,
  CheckContext,
  Commands,
  DriveEnd,
  Gate,
  Hook,
  HookContext,
  HookPoint,
  RunRow,
  Tools,
  Verdict,
} from '../engine/index.ts'
export {
  type Certificate,
  type Verification,
  type VerifyTarget,
  verifyTarget,
} from '../history/certificates/index.ts'
export type { RunDiff } from '../history/diff-run.ts'
export type { Inspection } from '../history/inspect-run.ts'
export { reviewDiff } from '../history/review-diff.ts'
export {
  followRun,
  listArtifacts,
  readArtifact,
  writeRunFolder,
} from '../history/run-folder/index.ts'
export { commandCheck } from '../launch/checks/command-check.ts'
export { planChecks } from '../launch/checks/plan-checks.ts'
export { type CodeLoop, defineLoop } from '../launch/code-loop/define-loop.ts'
export {
  distrustLoop,
  type LoopReport,
  loadLoop,
  previewLoop,
  trustedLoops,
  trustLoop,
  validateLoop,
} from '../launch/load-loop.ts'
export type { LoadedLoop } from '../launch/loaded-loop.ts'
export type { OpenContext } from '../launch/open-context.ts'
export { type OpenedLoop, openLoop } from '../launch/open-loop.ts'
export type { Replay, ReplayResult } from '../launch/replay/index.ts'
export { firstPrompt } from '../launch/to-loop-type.ts'
export {
  type Action,
  type AgentContext,
  type AgentReport,
  type AgentTask,
  type Amount,
  type Answer,
  type CheckResult,
  type Condition,
  captureProgress,
  type Decision,
  defaultLimits,
  describeEvent,
  describeOutcome,
  type ErrorCode,
  type Evidence,
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
  type Outcome,
  type Question,
  type Receipt,
  type RecordedEvent,
  type RetryPolicy,
  type RunEvent,
  type RunId,
  type RunState,
  type RunStatus,
  rateLimited,
  renderProgress,
  type StepContext,
  type StepOptions,
  type SystemProgress,
  type TreeId,
} from '../loop/index.ts'
export {
  createTemplate,
  type PlainLoop,
  type PlainSettings,
  plainLoop,
  type Template,
} from '../loops/index.ts'
export type { ForkComparison } from '../runs/compare-fork.ts'
export type {
  ForkOptions,
  HostOptions,
  ResumeOptions,
  RunParts,
  StartOptions,
} from '../runs/options.ts'
export type { RunHandle } from '../runs/run-handle.ts'
export type { WorktreeChoice } from '../runs/worktree-options.ts'
export {
  createPlainCommands,
  openNetworkProxy,
  openSandbox,
  protectedPaths,
  type Sandbox,
  type SandboxOptions,
} from '../sandbox/index.ts'
export type { Tool } from '../tools/index.ts'
export { analyzeRun } from './analyze-run.ts'
export type { Host } from './host.ts'
export type { MergeResult } from './merge-run.ts'
export { openHost } from './open-host.ts'
export { createPullRequest, resetRun, scrapRun } from './review/index.ts'
export { type RunResult, runLoop } from './run-loop.ts'
