export { canonicalJson, formatJsonPath } from './canonical-json.ts'
export {
  type Certificate,
  type CertificateDraft,
  type CertifiedCalibration,
  type CertifiedCheck,
  certificateBytesMax,
  certificateDomain,
  certificateFormat,
  certificateVersion,
  type ErrorRate,
  type SignedCertificate,
} from './certificate/certificate.ts'
export { certificateSchema, signedCertificateSchema } from './certificate/certificate-schema.ts'
export {
  type ChangeNote,
  type CommandEvidence,
  type ControlRun,
  changesMax,
  type ReadFiles,
  type Strength,
  type StrengthLevel,
  type StrengthParts,
  strengthLevels,
  type TestEvidence,
} from './certificate/certificate-strength.ts'
export { describeLevel, describeStrength } from './certificate/describe-strength.ts'
export {
  type Endorsement,
  endorsementDomain,
  endorsementSchema,
  type TrustedKey,
  trustedKeysBytesMax,
  trustedKeysFormat,
  trustedKeysSchema,
  trustedKeysVersion,
} from './certificate/trusted-keys.ts'
export {
  type CheckpointFile,
  type Continuation,
  checkpointCharsMax,
  checkpointFileSchema,
  checkpointFormat,
  checkpointFormatVersion,
  type Sha256,
} from './checkpoint/checkpoint-file.ts'
export {
  agentNameCharsMax,
  type ExitConditionConfig,
  type ExitConditionStatus,
  type ExitConditionStatusValue,
  type ExitConditionType,
  type IterationEvent,
  type IterationEventType,
  iterationEventsMax,
  type LoopConfig,
  type LoopOutcome,
  type LoopPhase,
  type LoopResult,
  type LoopState,
  loopConfigBounds,
  toolOutputCharsMax,
} from './checkpoint/entities.ts'
export type { WorkspaceFile } from './checkpoint/workspace-file.ts'
export { type Settings } from './config/config.ts'
export { stepNoteSchema } from './events/event-parts.ts'
export { recordedEventSchema } from './events/event-schema.ts'
export { actionSchema } from './loop-file/action-schema.ts'
export type {
  ActionSettings,
  EditProposal,
  GateSettings,
  MergeActionSettings,
  ProposalSettings,
} from './loop-file/action-settings.ts'
export {
  type CheckWords,
  checkAgent,
  checkTool,
  describeCheckPower,
  runsCommands,
} from './loop-file/check-kinds.ts'
export { type CheckedLoopFile, checkLoopFile } from './loop-file/check-loop-file.ts'
export { type DeliverySink, deliverSchema } from './loop-file/deliver-schema.ts'
export { type GatherSource, gatherSchema } from './loop-file/gather-schema.ts'
export { quoted, unknownName } from './loop-file/issue-problems.ts'
export {
  type AcpAgentSettings,
  type AcpPermissions,
  type AgentSettings,
  agentNames,
  agentPrograms,
  type CertifySettings,
  type CheckSettings,
  type CommandAgentSettings,
  type CommandCheckSettings,
  type ConditionCheckSettings,
  type FileProblem,
  type JudgeCheckSettings,
  type LoopFile,
  type McpServer,
  type ModelAgentSettings,
  type ProgramAgentSettings,
  type PromptSection,
  type RepairAgentSettings,
  type SandboxSettings,
  type SealSettings,
  type SectionSettings,
  type ToolCheckSettings,
  type WorktreeSettings,
} from './loop-file/loop-file.ts'
export { builtInToolNames } from './loop-file/loop-file-problems.ts'
export { defaultLoopType } from './loop-file/loop-file-schema.ts'
export {
  type AgentRoles,
  type LoopFileType,
  makerRole,
  type Unnamed,
} from './loop-file/loop-file-type.ts'
export { promptSchema } from './loop-file/prompt-schema.ts'
export {
  duration,
  innerPath,
  integer,
  key,
  keys,
  list,
  matching,
  text,
  toolName,
} from './loop-file/value-schemas.ts'
export { type Knob, type Manifest, manifestFileName } from './manifest/manifest.ts'
export { parseManifest } from './manifest/parse-manifest.ts'
export {
  type Flip,
  type TuneView,
  type ViewedBest,
  type ViewedCase,
  type ViewedClaim,
  type ViewedGain,
  type ViewedHoldout,
  type ViewedHypothesis,
  type ViewedMatrix,
  type ViewedOption,
  type ViewedPoint,
  type ViewedRound,
} from './tune/tune-view.ts'
export { tuneViewSchema } from './tune/tune-view-schema.ts'
export { isJsonObject, type JsonObject, published } from './values.ts'
export {
  type JudgeVerdict,
  parseReview,
  parseVerdict,
  quoteAsData,
  type Review,
  reviewPrompt,
  verdictPrompt,
} from './verdict.ts'
