export type {
  Action,
  ActionFacts,
  ActionRecorded,
  ActOptions,
  GateRecord,
  Judged,
  JudgeOptions,
  Permission,
  Receipt,
  RecordedFacts,
} from './authority/action.ts'
export {
  type AnswerInput,
  findAnswerProblem,
  formatConfirmedAnswer,
  listAnswerKinds,
  resolveAnswer,
} from './authority/answer.ts'
export {
  type Attempts,
  type Escalated,
  type EscalationChoice,
  type IterationMeasure,
  measureChecks,
  pathsMax,
  triggerNames,
} from './authority/attempts.ts'
export type { Attention } from './authority/attention.ts'
export { describeLimits, describeLimitValue } from './authority/describe-limit.ts'
export {
  allowedFiles,
  defaultThresholds,
  type EscalationThresholds,
  findFileTriggers,
  findTriggers,
  type Trigger,
  tooManyFiles,
} from './authority/escalation.ts'
export {
  describeGuidance,
  type Guidance,
  guidanceOfIteration,
  isWaiting,
  type LinePlace,
  type OpenGuidance,
  toGuidance,
} from './authority/guidance.ts'
export {
  ceilingOf,
  defaultLevel,
  effectiveLevel,
  type Level,
  type LevelSetting,
  levelNames,
} from './authority/level.ts'
export { dueWarnings, type LimitUse, listLimitUse } from './authority/limit-warning.ts'
export { changeLimits, findLimitProblem } from './authority/limits.ts'
export {
  isDenied,
  type PolicyAction,
  type PolicyContext,
  type PolicyInEffect,
  type PolicyMode,
  type PolicyRequest,
  type PolicyRuling,
} from './authority/policy.ts'
export { type PolicyFacts, toPolicyContext } from './authority/policy-context.ts'
export type { RunSeals } from './authority/run-seals.ts'
export {
  committed,
  findOverrun,
  findReachedAgentLimit,
  iterationMs,
  type Overrun,
  remaining,
} from './authority/spending.ts'
export {
  type AgentLimits,
  type Amount,
  type AmountLimits,
  add,
  defaultLimits,
  defaultWarnAt,
  findExceededLimit,
  inputTokensOf,
  isAmount,
  isZero,
  type Limits,
  outputTokensOf,
  type Remaining,
  type SpendingLimitName,
  spendingLimitNames,
  subtract,
  zero,
} from './budget.ts'
export { type Condition, type Facts, findMetCondition, listSupportingChecks } from './condition.ts'
export { type Assembled, assembleContext, type Section } from './context-window.ts'
export { decide } from './decide.ts'
export type { AnswerKind, Decider, Decision, StoredDecision } from './decision.ts'
export { defined } from './defined.ts'
export {
  describeAgent,
  describeEnding,
  describeEvent,
  describePreflight,
  describeSandboxSummary,
} from './describe-event.ts'
export { durationPattern, parseDuration } from './duration.ts'
export { readPhase, readStep } from './earlier-journals.ts'
export { describeRates, describeShare, type ErrorRates, type Share } from './error-rates.ts'
export { type ErrorCode, type ErrorDetails, errorTable, isLoopError, LoopError } from './errors.ts'
export {
  type AgentInfo,
  type Carried,
  type Claim,
  type DecisionApplied,
  type DescribedStep,
  type Ending,
  type EventType,
  eventVersion,
  type IterationEnded,
  type LimitWarned,
  type Met,
  type Origin,
  type OutsideDigests,
  type PolicyDecided,
  type Preflight,
  type PreflightCheck,
  type PreflightEnded,
  type RecordedEvent,
  type RunCreated,
  type RunEvent,
  type RunStarted,
  type RunWorktree,
  type SandboxSummary,
  type ScheduledTick,
  type StepFailed,
  type StepFinished,
  type StepNoted,
  type StepStarted,
  type Stored,
  type WorkspaceChanged,
} from './event.ts'
export {
  answerBefore,
  type CheckDescription,
  type CheckKind,
  type CheckResult,
  type CheckStatus,
  checkKinds,
  checksPass,
  contradicts,
  type Evidence,
  type EvidenceKept,
  type ExistingFailure,
  existingFailures,
  type Finding,
  type Findings,
  failingMax,
  isAnswer,
  type Refusal,
  type StandardCondition,
  standardConditions,
  type TestCounts,
} from './evidence.ts'
export { type ApplyProgress, evolve } from './evolve.ts'
export { createLineCollector, type OutputLine } from './excerpt/collect-lines.ts'
export { excerpt, excerptLines, selectKeyLines } from './excerpt/excerpt.ts'
export {
  errorSignature,
  type Fault,
  FaultError,
  inOneLine,
  type Rework,
  rateLimited,
  textOf,
  toFault,
} from './fault.ts'
export {
  type BlobId,
  type CertificateId,
  type ReservationId,
  type RunId,
  type StepId,
  stepId,
  type TreeId,
} from './ids.ts'
export { adoptJson, type Json, NotJsonError, toJson } from './json.ts'
export type {
  AgentContext,
  AgentEnd,
  AgentGuidance,
  AgentReport,
  AgentTask,
  ArtifactContent,
  ArtifactRef,
  Branches,
  BranchResults,
  CertifiedFiles,
  GitSummary,
  Iteration,
  IterationWorkspace,
  LoopType,
  Reservation,
  Risk,
  StepContext,
  StepOptions,
  StoredExchange,
  ToolContext,
  ToolDescription,
  ToolLimits,
  ToolResult,
} from './loop-type.ts'
export { findNearestName, suggestName } from './names/nearest-name.ts'
export { type ProgramName, programNames } from './names/program-names.ts'
export { specSlug, toSlug } from './names/slug.ts'
export {
  describeFault,
  describeOutcome,
  type EarlierRun,
  endedWithoutWork,
  type LimitName,
  type Outcome,
  type OutcomeType,
} from './outcome.ts'
export { applyPatch, applyPatchInPlace, diff, type Patch } from './patch.ts'
export { plainOutput } from './plain-output.ts'
export {
  type CaptureLimits,
  captureLimits,
  captureProgress,
  keepEnd,
  renderProgress,
  type SystemProgress,
} from './progress.ts'
export { classifyProviderResponse, type ProviderResponseKind } from './provider-answer.ts'
export {
  type Answer,
  type EvidentCheck,
  findQuestionProblem,
  limitEvidence,
  type OpenQuestion,
  type Question,
  type QuestionEvidence,
  type QuestionReview,
  questionDeadlineMs,
  questionName,
  type ReviewedTrees,
} from './question.ts'
export { rateLimitWaitMs } from './rate-limit-wait.ts'
export {
  defaultRetry,
  type RetryPolicy,
  retryDelayMs,
  retryPolicy,
  windowOpensAtMs,
} from './retry.ts'
export {
  defaultRoles,
  type RoleAppearance,
  type RoleAppearances,
} from './role-appearance.ts'
export {
  failedOnBase,
  findDescription,
  listRunChecks,
  type RunCheck,
  type RunCheckStatus,
} from './run-checks.ts'
export type { Signal } from './signal.ts'
export type { Source } from './source.ts'
export {
  initialState,
  type Metrics,
  type Reserved,
  type RunState,
  type ToolUse,
} from './state.ts'
export {
  findStatuses,
  isEnd,
  type RunStatus,
  runStatuses,
  statusAliases,
  transitions,
} from './status.ts'
export { type StepKind, stepKinds } from './step/step-kind.ts'
export { nameProblem, parseStepId, parseStepKind } from './step/step-name.ts'
export type { AgentNote, ExchangeNote, StepNote, ToolNote } from './step/step-note.ts'
export {
  describeTodo,
  isSameTodo,
  summarizeTodo,
  type TodoItem,
  type TodoList,
  toTodoList,
} from './step/todo-list.ts'
export { readState, type StoredState } from './stored-state.ts'
export { estimateTokens } from './token-estimate.ts'
