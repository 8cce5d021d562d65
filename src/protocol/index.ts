export { canonicalJson } from './canonical-json.ts'
export {
  type Certificate,
  type CertificateDraft,
  type CertifiedCalibration,
  type CertifiedCheck,
  certificateBytesMax,
  certificateDomain,
  certificateFormat,
  certificateSchema,
  certificateVersion,
  type ErrorRate,
  type SignedCertificate,
  signedCertificateSchema,
} from './certificate.ts'
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
} from './certificate-strength.ts'
export { checkpointFileSchema } from './checkpoint.ts'
export { checkpointTree } from './checkpoint-source.ts'
export { type Settings } from './config.ts'
export { withDefaultPrompt } from './default-prompt.ts'
export { describeLevel, describeStrength } from './describe-strength.ts'
export { stepNoteSchema } from './event-parts.ts'
export { recordedEventSchema } from './event-schema.ts'
export { fromCheckpointFile } from './from-checkpoint-file.ts'
export { jsonSchemas } from './json-schemas.ts'
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
  type LoopFileType,
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
} from './loop-file.ts'
export { issueProblems, issueReason, quoted, unknownName } from './loop-file-issues.ts'
export {
  builtInToolNames,
  consultProblems,
  eachCheckProblems,
  loopFileProblems,
  sandboxProblems,
} from './loop-file-problems.ts'
export { loopFileSchemas, type WrittenLoopFile } from './loop-file-schema.ts'
export { parseCheckpointFile } from './parse-checkpoint-file.ts'
export { toCheckpointFile } from './to-checkpoint-file.ts'
export {
  type Endorsement,
  endorsementDomain,
  endorsementSchema,
  type TrustedKey,
  trustedKeysBytesMax,
  trustedKeysFormat,
  trustedKeysSchema,
  trustedKeysVersion,
} from './trusted-keys.ts'
export { isJsonObject, published } from './values.ts'
export type { WorkspaceFile } from './workspace-file.ts'
