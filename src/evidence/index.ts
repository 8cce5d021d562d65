export { type ChosenFile, chooseDefects, shuffled } from './calibrate/choose-defects.ts'
export {
  type BadWork,
  type Calibrated,
  type CalibratedCheck,
  type CalibrateRequest,
  type Calibration,
  type CalibrationReport,
  type CheckAnswer,
  type CheckCalibration,
  calibrate,
  checkDigest,
  type FalseReject,
  type GoodWork,
  harmlessChanges,
  type PastCommit,
  revertedFixes,
  type Stopped,
  type Survivor,
} from './calibrate/index.ts'
export { plainDefectsIn, plainPlanter } from './calibrate/plain-defects.ts'
export {
  type Defect,
  overlayOf,
  type Planter,
  replacing,
  type SourceText,
} from './calibrate/planter.ts'
export { cannotRun } from './cannot-run.ts'
export {
  brokenRules,
  type CertificateStore,
  certificatesOf,
  certifiedOutputs,
  chainProblems,
  findById,
  givenKeys,
  type IssuedCertificate,
  isEndorsed,
  issueCertificate,
  keysFolder,
  newestFirst,
  type OpenedCertificate,
  type OwnKey,
  openCertificate,
  ownKeys,
  parseTrustedKeys,
  readCertificate,
  readFileOnly,
  readTrustedKeys,
  renderTrustedKeys,
  rotateKey,
  type StoredCertificate,
  signingKey,
  type TreeLook,
  toCertificateId,
  toTrusted,
  trustedKeys,
  trustKeys,
  untrustKey,
  type Verdict,
  type Verification,
  type VerifyFinding,
  type VerifyOptions,
  verifyCertificate,
} from './certificate/index.ts'
export {
  type BaseAnswer,
  type BaseAnswers,
  baseAnswerFrom,
  baseAnswerKey,
  baseAnswerOf,
  isNoWorse,
} from './certify/base-answers.ts'
export type { Consultant, Consultation, RaisedConcerns } from './certify/certification.ts'
export { type Certified, type CertifierParts } from './certify/certification.ts'
export { createCertifier } from './certify/certifier.ts'
export { notOfTheWork } from './certify/certify-tree.ts'
export { type DraftParts, draftOf } from './certify/draft.ts'

export { codeOfReview, type FileDiff, readReview } from './certify/review.ts'

export { collectReport, type ReportCollector } from './identity/collect-report.ts'
export { identityEnvironment, otherEnvironment } from './identity/identity-environment.ts'
export { insideFiles, type SandboxFile } from './identity/inside-files.ts'
export {
  hasAll,
  type WantedTests,
  wantedTests,
  withoutUnwanted,
} from './identity/wanted-tests.ts'
export { type Family, familyOf, maskCode } from './mask-code.ts'
export type {
  Answered,
  ChannelProblem,
  FileAccess,
  Observation,
  ObservedRunner,
  ObservedTest,
  ObserveOptions,
  RunnerName,
  RunnerReport,
  TestStatus,
} from './observe/observation.ts'
export { runnerNames } from './observe/observation.ts'
export type {
  CertifyingPlace,
  Checkout,
  DependencyApprovals,
  DependencyItem,
  Layer,
  Observable,
  OpenCheck,
  Overlay,
  OverlayFile,
  PlaceRequest,
} from './parts.ts'
export { RefusedError } from './refused-error.ts'
export { classifyChanges } from './scope/classify-changes.ts'
export type {
  ChangeClass,
  ClassifiedChange,
  ClassifyRequest,
  CompareTexts,
  Scope,
} from './scope/scope.ts'
export { scopeOf } from './scope/scope-of.ts'
export { createClassify } from './seals/classify.ts'
export { filesOfCommand, filesOfCommandLine } from './seals/command-files.ts'
export { globProblem } from './seals/glob.ts'
export type { SealKind, SealRules } from './seals/sealed-change.ts'
export { type Lockfile, lockfiles } from './stacks/lockfiles.ts'
export {
  type ConditionCommand,
  type ConditionPlan,
  networkAdvice,
  planCondition,
} from './stacks/plan-condition.ts'
export { workspaceOf } from './stacks/project.ts'
export { type Proposal, type ProposedCheck, proposeChecks } from './stacks/propose-checks.ts'
export {
  type ConditionName,
  conditionNames,
  detectStacks,
  isConditionName,
  type Stack,
  type StackName,
} from './stacks/stack.ts'
export {
  type JudgeVerdict,
  type Opinion,
  parseReview,
  parseVerdict,
  type Review,
  type ReviewOpinion,
  reviewPrompt,
  verdictPrompt,
} from './verdict.ts'
export { wilson } from './wilson.ts'
