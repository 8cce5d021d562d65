export { canonicalDepthMax, canonicalJson } from './canonical-json.ts'
export {
  type Certificate,
  type CertificateDraft,
  type CertificateVersion,
  type Certified,
  type CertifiedCalibration,
  type CertifiedCheck,
  type CertifiedLayer,
  type Consultation,
  certificateBytesMax,
  certificateDomain,
  certificateFormat,
  certificateSchema,
  certificateVersion,
  type ErrorRate,
  type RestsOn,
  type SealedChangeNote,
  type SealedPart,
  type Signature,
  type SignedCertificate,
  signedCertificateSchema,
} from './certificate.ts'
export {
  type ChangeClass,
  type ChangeNote,
  type CommandEvidence,
  type ControlRun,
  changeClasses,
  changesMax,
  type ObservedBy,
  type PlantedFailure,
  type ReadFiles,
  type Strength,
  type StrengthLevel,
  type StrengthParts,
  strengthLevels,
  type TestEvidence,
  type TestNote,
} from './certificate-strength.ts'
export {
  type CheckWords,
  checkAgent,
  checkTool,
  describeCheckPower,
  runsCommands,
} from './check-kinds.ts'
export {
  type CheckedLoopFile,
  type CheckLoopFileOptions,
  checkLoopFile,
} from './check-loop-file.ts'
export {
  type CheckpointFile,
  type Continuation,
  checkpointCharsMax,
  checkpointFileSchema,
  checkpointFormat,
  checkpointFormatVersion,
  type Sha256,
} from './checkpoint.ts'
export { type CheckpointSource, checkpointTree } from './checkpoint-source.ts'
export {
  type ArtifactMode,
  type Config,
  defaultSettings,
  mergeConfig,
  type NameSource,
  type Settings,
  withDefaults,
} from './config.ts'
export { describeLevel, describeStrength } from './describe-strength.ts'
export {
  type Checkpoint,
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
} from './entities.ts'
export {
  checkpointSchema,
  exitConditionConfigSchema,
  exitConditionStatusSchema,
  iterationEventSchema,
  loopConfigSchema,
  loopResultSchema,
  loopStateSchema,
} from './entity-schemas.ts'
export { eventTypesTable } from './event-drafts.ts'
export { stepNoteSchema } from './event-parts.ts'
export { recordedEventSchema, runEventSchema } from './event-schema.ts'
export { checkStatusTable, toExitConditions } from './exit-conditions.ts'
export { fromCheckpointFile, type Restored } from './from-checkpoint-file.ts'
export { toIterationEvents } from './iteration-events.ts'
export { jsonSchemas } from './json-schemas.ts'
export {
  type AcpAgentSettings,
  type AcpPermissions,
  type AgentProgramName,
  type AgentSettings,
  acpPermissions,
  agentNames,
  agentPrograms,
  type CertifySettings,
  type CheckSettings,
  type CommandAgentSettings,
  type CommandCheckSettings,
  type ConditionCheckSettings,
  type ConsultSettings,
  type FileCondition,
  type FileProblem,
  type JudgeCheckSettings,
  type LoopFile,
  type McpServer,
  type ModelAgentSettings,
  type ProgramAgentSettings,
  type PromptSection,
  type RepairAgentSettings,
  type SandboxSettings,
  type ScriptAgentSettings,
  type ScriptTurn,
  type SealSettings,
  type SectionSettings,
  type ToolCheckSettings,
  type WorktreeSettings,
} from './loop-file.ts'
export { issueProblems, issueReason, quoted, unknownName } from './loop-file-issues.ts'
export { promptSchema } from './loop-file-parts.ts'
export { builtInToolNames } from './loop-file-problems.ts'
export { defaultLoopType } from './loop-file-schema.ts'
export {
  type AgentRole,
  type AgentRoles,
  type LoopFileType,
  makerRole,
  type Unnamed,
} from './loop-file-type.ts'
export { key, keys, list, text, whole } from './loop-file-values.ts'
export { type LoopOperationName, operationPath } from './loop-operation.ts'
export { toLoopResult } from './loop-result.ts'
export { parseCheckpointFile } from './parse-checkpoint-file.ts'
export { toLoopOutcome, toLoopPhase } from './phases.ts'
export type { NamedEvidence } from './run-values.ts'
export { toCheckpointFile } from './to-checkpoint-file.ts'
export {
  type Endorsement,
  endorsementDomain,
  endorsementSchema,
  type TrustedKey,
  type TrustedKeys,
  trustedKeySchema,
  trustedKeysBytesMax,
  trustedKeysFormat,
  trustedKeysSchema,
  trustedKeysVersion,
} from './trusted-keys.ts'
export { isJsonObject, type JsonObject, type PublishedMeta, published } from './values.ts'
export type { WorkspaceFile } from './workspace-file.ts'
