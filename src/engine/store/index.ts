export type { AskedAfter, AskedQuestion } from './asked-question.ts'
export type { BlobStore, Blobs, Keep, SweepOptions, Swept } from './blob-store.ts'
export type {
  Checkpoint,
  EventRange,
  Journal,
  NewRun,
  PastAttempt,
  RunRow,
  StoreRange,
  Topic,
  Unit,
} from './journal.ts'
export { type Lease, type LocalOwners, leaseTtlMs, type Owner } from './lease.ts'
export {
  findMemoryProblem,
  type Memories,
  type Memory,
  type MemoryFilter,
  type MemoryLimits,
  type MemoryScope,
  memoryLimits,
  memoryMax,
  memorySize,
  type NewMemory,
  searchWords,
} from './memories.ts'
export type {
  MergeChange,
  MergeLease,
  MergeLine,
  MergeProgress,
  MergeQueue,
  MergeRow,
  NewMerge,
} from './merge-queue.ts'
export { requireDecision } from './require-decision.ts'
export type { RunFilter, RunPage, RunPageOptions } from './run-page.ts'
export type { KnownRequest, NewQueueRow, QueueRow, RequestKey, RunQueue } from './run-queue.ts'
export type {
  OpenQuestionSummary,
  SummaryPage,
  SummaryPageOptions,
  SummaryRow,
} from './run-summaries.ts'
export {
  type NewScheduleRow,
  type ScheduleChange,
  type ScheduleRow,
  type Schedules,
  type ScheduleTickRow,
  schedulesMax,
  type TickRow,
  ticksKept,
} from './schedules.ts'
export type {
  ChangedRuns,
  EventText,
  NamedContent,
  RemoveOptions,
  RunFact,
  RunMaker,
  Store,
} from './store.ts'
export { storeErrors } from './store-errors.ts'
export {
  firstLevel,
  type LevelCause,
  type LevelChange,
  type LevelFilter,
  type LevelScope,
  lowered,
  type NewLevelChange,
  settingCauses,
  type Trust,
} from './trust.ts'
