export { canonicalDepthMax, canonicalJson, formatJsonPath } from './canonical-json.ts'
export {
  type Certificate,
  type CertificateBasis,
  type CertificateDraft,
  type CertificateVersion,
  type Certified,
  type CertifiedCalibration,
  type CertifiedCheck,
  type CertifiedDependencies,
  type Consultation,
  certificateBytesMax,
  certificateDomain,
  certificateFormat,
  certificateSchema,
  certificateVersion,
  type ErrorRate,
  type SealedChangeNote,
  type SealedPart,
  type Signature,
  type SignedCertificate,
  signedCertificateSchema,
} from './certificate/certificate.ts'
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
} from './certificate/certificate-strength.ts'
export { describeLevel, describeStrength } from './certificate/describe-strength.ts'
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
} from './checkpoint/entities.ts'
export {
  checkpointSchema,
  exitConditionConfigSchema,
  exitConditionStatusSchema,
  iterationEventSchema,
  loopConfigSchema,
  loopResultSchema,
  loopStateSchema,
} from './checkpoint/entity-schemas.ts'
export type { WorkspaceFile } from './checkpoint/workspace-file.ts'
export {
  type ArtifactMode,
  type Config,
  defaultSettings,
  mergeConfig,
  type NameSource,
  type Settings,
  withDefaults,
} from './config/config.ts'
export { stepNoteSchema } from './events/event-parts.ts'
export { recordedEventSchema, runEventSchema } from './events/event-schema.ts'
export { jsonSchemas } from './json-schemas.ts'
export {
  type CheckWords,
  checkAgent,
  checkTool,
  describeCheckPower,
  runsCommands,
} from './loop-file/check-kinds.ts'
export {
  type CheckedLoopFile,
  type CheckLoopFileOptions,
  checkLoopFile,
} from './loop-file/check-loop-file.ts'
export { issueProblems, issueReason, quoted, unknownName } from './loop-file/issue-problems.ts'
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
} from './loop-file/loop-file.ts'
export { builtInToolNames } from './loop-file/loop-file-problems.ts'
export { defaultLoopType } from './loop-file/loop-file-schema.ts'
export {
  type AgentRole,
  type AgentRoles,
  type LoopFileType,
  makerRole,
  type Unnamed,
} from './loop-file/loop-file-type.ts'
export { promptSchema } from './loop-file/prompt-schema.ts'
export { integer, key, keys, list, text } from './loop-file/value-schemas.ts'
export type { NamedEvidence } from './run-values.ts'
export { isJsonObject, type JsonObject, type PublishedMeta, published } from './values.ts'
