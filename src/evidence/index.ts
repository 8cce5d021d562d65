export { lowerBound } from './binomial-bound.ts'
export { chooseDefects, shuffle } from './calibrate/choose-defects.ts'
export {
  type BadWork,
  type Calibration,
  type CalibrationOutcome,
  type CalibrationReport,
  type CheckAnswer,
  calibrate,
  checkDigest,
  harmlessChanges,
  type PastCommit,
  revertedFixes,
} from './calibrate/index.ts'
export { plainPlanter } from './calibrate/plain-defects.ts'
export { type Defect, type Planter, type SourceText, toOverlay } from './calibrate/planter.ts'
export { cannotRun } from './cannot-run.ts'
export {
  chainProblems,
  findStoredCertificate,
  issueCertificate,
  listNewestFirst,
  readCertificate,
  verifyCertificate,
} from './certificate/index.ts'
export {
  type BaseResult,
  type BaseResults,
  createBaseResultKey,
  findBaseResult,
  isNoWorse,
  toBaseResult,
} from './certify/base-answers.ts'
export type { RaisedConcerns } from './certify/certification.ts'
export { type Certified } from './certify/certification.ts'
export { createCertifier } from './certify/certifier.ts'
export { asInfrastructureError } from './certify/certify-tree.ts'
export { createCertificateDraft } from './certify/draft.ts'

export { type FileDiff, readReview, toReviewCode } from './certify/review.ts'

export { collectReport, type ReportCollector } from './identity/collect-report.ts'
export {
  identityEnvironment,
  otherEnvironment,
  quickIdentityEnvironment,
} from './identity/identity-environment.ts'
export { listSandboxFiles } from './identity/inside-files.ts'
export {
  hasAllWanted,
  toWantedTests,
  type WantedTests,
  withoutUnwanted,
} from './identity/wanted-tests.ts'
export { findLanguageFamily } from './mask-code.ts'
export type {
  FileAccess,
  Observation,
  ObservedTest,
  ObserveOptions,
  RunnerReport,
} from './observe/observation.ts'
export { runnerNames } from './observe/observation.ts'
export type {
  CertificationCheckout,
  CertificationCheckoutRequest,
  Checkout,
  DependencyItem,
  DependencyLayer,
  Observable,
  OpenCheck,
  Overlay,
} from './parts.ts'
export { RefusedError } from './refused-error.ts'
export { classifyChanges } from './scope/classify-changes.ts'
export type { ClassifiedChange, ClassifyRequest, Scope } from './scope/scope.ts'
export { scopeOf } from './scope/scope-of.ts'
export { createClassify } from './seals/classify.ts'
export { findCommandFiles } from './seals/command-files.ts'
export { globProblem } from './seals/glob.ts'
export type { SealRules } from './seals/sealed-change.ts'
export { type Lockfile, lockfiles } from './stacks/lockfiles.ts'
export { type ConditionCommand, networkAdvice, planCondition } from './stacks/plan-condition.ts'
export { readNodeWorkspace } from './stacks/project.ts'
export { type Proposal, type ProposedCheck, proposeChecks } from './stacks/propose-checks.ts'
export { conditionNames, detectStacks, type Stack } from './stacks/stack.ts'
export { wilson } from './wilson.ts'
