export {
  type Panel,
  type PanelCell,
  type PanelFacts,
  type PanelMaker,
  type PanelTone,
  panelsRole,
  type RoleResult,
  type RunPanels,
} from '../panel/panel.ts'
export { readPanels, runPanelsSchema } from '../panel/panel-schema.ts'
export {
  type ActionEntry,
  type ActionFact,
  type ActionFacts,
  type ActionList,
  actionEntrySchema,
  actionFactsSchema,
  actionListSchema,
  type EscapeRequest,
  escapeSchema,
} from './actions.ts'
export { artifactSchema, certificateEntrySchema } from './artifacts.ts'
export { type CallerEnvironment } from './caller-environment.ts'
export {
  type CleanedWorktree,
  cleanedWorktreeSchema,
  type Diff,
  diffSchema,
  type MergeResponse,
  mergedSchema,
  type Worktree,
  worktreeEntrySchema,
} from './changes.ts'
export {
  answerSchema,
  type ControlRequest,
  controlSchema,
  type ForkRequest,
  forkSchema,
  type LandRequest,
  landSchema,
  limitsRequestSchema,
  type MergeRequest,
  mergeSchema,
  type ResumeRequest,
  type RetryRequest,
  resumeSchema,
  retrySchema,
  tellSchema,
} from './control-requests.ts'
export {
  type AgentStatus,
  type DaemonInfo,
  daemonInfoSchema,
  healthSchema,
  readinessSchema,
} from './daemon-info.ts'
export {
  type CappedLevel,
  type Digest,
  digestSchema,
  type EscalatedRound,
  type EscalatedRounds,
  escalatedRoundsSchema,
  type FailingSchedule,
  type LoopDigest,
  type UndeliveredReport,
} from './digest.ts'
export { type ExchangeView, exchangeViewSchema } from './exchange-view.ts'
export {
  type EvidenceEntry,
  evidenceEntrySchema,
  type InboxQuestion,
  type IterationSummary,
  inboxQuestionSchema,
  iterationSummarySchema,
  type Ledger,
  type LedgerEntry,
  ledgerSchema,
  type OpenWork,
  type OutputEntry,
  outputEntrySchema,
  type Progress,
  progressSchema,
  type Step,
  type StepArtifact,
  type StepPhase,
  stepSchema,
} from './journal-views.ts'
export {
  type FoundEscape,
  type LevelBars,
  type LevelEntry,
  type LevelList,
  type LevelRequest,
  type LevelStanding,
  levelEntrySchema,
  levelListSchema,
  levelRequestSchema,
  levelStandingSchema,
} from './levels.ts'
export { type LoopOperationName, operationPath } from './loop-operation.ts'
export {
  type CostEstimate,
  type Plan,
  type Preview,
  planSchema,
  previewRequestSchema,
  previewSchema,
} from './loop-plan.ts'
export {
  type CatalogListing,
  type CatalogLoopEntry,
  catalogListingSchema,
  findLoopsSchema,
  type LoopEntry,
  type LoopInput,
  type LoopListing,
  loopListingSchema,
  type StartFinding,
  type StartFindings,
  startFindingsSchema,
} from './loops.ts'
export {
  type DashboardLink,
  dashboardLinkSchema,
  type Machine,
  machineSchema,
} from './machine.ts'
export {
  type ForgottenFacts,
  forgottenFactsSchema,
  type MemoryFact,
  memoryFactSchema,
} from './memory.ts'
export { type MergeLines, mergeLinesSchema, type QueuedMerge } from './merge-lines.ts'
export { type NewRunRequest, newRunSchema } from './new-run.ts'
export { type Page, pageSchema } from './page.ts'
export {
  type AllowedCalls,
  type PolicyDecisions,
  type PolicyRulingEntry,
  policyDecisionsSchema,
} from './policy.ts'
export { type Postmortem, postmortemRequestSchema, postmortemSchema } from './postmortem.ts'
export { type FieldProblem, type Problem, problemSchema } from './problem.ts'
export { type QueueEntry, type QueuePolicy, queueEntrySchema } from './queue.ts'
export { type RunRemovalResponse, runRemovedSchema } from './removed-run.ts'
export {
  type Discarded,
  discardedSchema,
  type PullRequest,
  type PullRequestRequest,
  pullRequestRequestSchema,
  pullRequestSchema,
  reviewDiffSchema,
} from './review.ts'
export {
  checkpointPositionSchema,
  type LoopAttention,
  type LoopAttentions,
  loopAttentionsSchema,
  openQuestionSchema,
  type Run,
  type RunAnswer,
  type RunDetail,
  runAnswerSchema,
  runDetailSchema,
  runSchema,
} from './run.ts'
export { type RunSettings, type WorktreeOverrides } from './run-settings.ts'
export {
  type ChangedSummaries,
  type RunSummaries,
  type RunSummary,
  runSummariesSchema,
  type WaitsFor,
} from './run-summary.ts'
export {
  type AddedSchedule,
  addedScheduleSchema,
  type DailyCaps,
  dailyCapsSchema,
  type NewScheduleRequest,
  newScheduleSchema,
  type Schedule,
  type ScheduleHealth,
  type ScheduleList,
  type SchedulePauseRequest,
  type ScheduleTick,
  type ScheduleTrigger,
  type SkipCode,
  scheduleListSchema,
  schedulePauseSchema,
  scheduleSchema,
  tickSchema,
  triggerSchema,
} from './schedules.ts'
