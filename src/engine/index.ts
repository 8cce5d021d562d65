export { actIdle, type IdleReceipt, recordIdle } from './act-idle.ts'
export type { ActionContext, StepPlace } from './action-ports.ts'
export { applyIdle, suspendIdle } from './apply-idle.ts'
export type {
  Certification,
  Certifier,
  CertifyContext,
  GivenAnswer,
  Subject,
} from './certifier.ts'
export { codeDigest } from './code-digest.ts'
export {
  type Beginning,
  type CreateOptions,
  type CreatePorts,
  createRun,
  forkRun,
  requireLimits,
  rewindRun,
} from './create-run.ts'
// `driveRun` is imported from its file, when a run is driven: most commands only look at runs.
export type { DriveEnd, DriveOptions } from './drive-run.ts'
export { streamEvents } from './event-stream.ts'
export { type Hook, type HookContext, type HookPoint, hookPoints } from './hook.ts'
export { Interruption } from './interrupter.ts'
export { eventsAfter, loadRun, readCreated, stateAt } from './load-run.ts'
export { type OpenProcess, openProcess, type ProcessEnd } from './open-process.ts'
export { openQuestions, questionsOf } from './open-questions.ts'
export type {
  ActionLookup,
  Actions,
  Agents,
  AnyLoopType,
  Check,
  CheckContext,
  Clock,
  Command,
  CommandContext,
  CommandResult,
  CommandRunner,
  Commands,
  Escalation,
  Files,
  Gate,
  IterationWork,
  LoopPrints,
  Policy,
  Ports,
  ProcessCommand,
  RunPreflight,
  StartProcess,
  Tools,
  Trees,
  UnboundCheckResult,
  Verdict,
  Workspace,
} from './ports.ts'
export { questionId } from './question-id.ts'
export { readSteps } from './steps/recorded-steps.ts'

export {
  type AskedAfter,
  type AskedQuestion,
  type BlobStore,
  type Blobs,
  type ChangedRuns,
  type Checkpoint,
  type EventRange,
  type EventText,
  findMemoryProblem,
  firstLevel,
  type Journal,
  type Keep,
  type KnownRequest,
  type Lease,
  type LevelCause,
  type LevelChange,
  type LevelFilter,
  type LevelScope,
  type LocalOwners,
  leaseTtlMs,
  lowered,
  type Memories,
  type Memory,
  type MemoryFilter,
  type MemoryLimits,
  type MemoryScope,
  type MergeChange,
  type MergeLease,
  type MergeLine,
  type MergeProgress,
  type MergeQueue,
  type MergeRow,
  memoryLimits,
  memoryMax,
  memorySize,
  type NamedContent,
  type NewLevelChange,
  type NewMemory,
  type NewMerge,
  type NewQueueRow,
  type NewRun,
  type NewScheduleRow,
  type Owner,
  type PastAttempt,
  type QueueRow,
  type RemoveOptions,
  type RequestKey,
  type RunFact,
  type RunFilter,
  type RunMaker,
  type RunPage,
  type RunPageOptions,
  type RunQueue,
  type RunRow,
  requireDecision,
  type ScheduleChange,
  type ScheduleRow,
  type Schedules,
  type ScheduleTickRow,
  type Store,
  type StoreRange,
  type SweepOptions,
  type Swept,
  schedulesMax,
  searchWords,
  settingCauses,
  storeErrors,
  type TickRow,
  type Topic,
  type Trust,
  ticksKept,
  type Unit,
} from './store/index.ts'
export { load } from './stored.ts'
export { systemClock } from './system-clock.ts'

export type { RunBaseFiles, TreeFile, TreeReader } from './tree-reader.ts'
