export {
  type Artifact,
  artifactSchema,
  type CertificateEntry,
  certificateEntrySchema,
} from './artifacts.ts'
export { type CallerEnvironment, callerEnvironmentSchema } from './caller-environment.ts'
export {
  type CleanedWorktree,
  cleanedWorktreeSchema,
  type Diff,
  diffSchema,
  type MergeResponse,
  mergedSchema,
  type Worktree,
  type WorktreeRun,
  worktreeEntrySchema,
} from './changes.ts'
export {
  type AnswerRequest,
  answerSchema,
  type ForkRequest,
  forkSchema,
  type LimitsRequest,
  limitsRequestSchema,
  type MergeRequest,
  mergeSchema,
  type ResumeRequest,
  type RetryRequest,
  resumeSchema,
  retrySchema,
  type TellRequest,
  tellSchema,
} from './control-requests.ts'
export {
  type AgentSeen,
  type DaemonInfo,
  daemonInfoSchema,
  type Health,
  healthSchema,
  type Readiness,
  readinessSchema,
} from './daemon-info.ts'
export {
  type EvidenceEntry,
  evidenceEntrySchema,
  type InboxQuestion,
  type IterationSummary,
  inboxQuestionSchema,
  iterationSummarySchema,
  type Ledger,
  type LedgerEntry,
  ledgerEntrySchema,
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
export { type LoopOperationName, operationPath } from './loop-operation.ts'
export {
  type CostEstimate,
  type Plan,
  type Preview,
  type PreviewRequest,
  planSchema,
  previewRequestSchema,
  previewSchema,
} from './loop-plan.ts'
export { type NewRunRequest, newRunSchema } from './new-run.ts'
export { cursorCharsMax, type Page, pageSchema, pageSizeDefault, pageSizeMax } from './page.ts'
export {
  type Postmortem,
  type PostmortemRequest,
  postmortemRequestSchema,
  postmortemSchema,
} from './postmortem.ts'
export { type FieldProblem, type Problem, problemSchema } from './problem.ts'
export { type QueueEntry, type QueuePolicy, queueEntrySchema } from './queue.ts'
export {
  type RunRemovalResponse,
  runRemovedSchema,
  type WorktreeRemovalResponse,
  worktreeRemovedSchema,
} from './removed-run.ts'
export {
  type Discarded,
  discardedSchema,
  type PullRequest,
  type PullRequestRequest,
  pullRequestRequestSchema,
  pullRequestSchema,
  type ReviewDiff,
  reviewDiffSchema,
} from './review.ts'
export { type Review, reviewSchema } from './review-status.ts'
export {
  type CheckpointPosition,
  checkpointPlaceSchema,
  openQuestionSchema,
  type Run,
  type RunAnswer,
  type RunDetail,
  runAnswerSchema,
  runDetailSchema,
  runSchema,
} from './run.ts'
export { type AskedWorktree, type RunSettings, runSettingsSchema } from './run-settings.ts'
export { runStateSchema } from './run-state.ts'
export { runStatusSchema } from './run-status.ts'
