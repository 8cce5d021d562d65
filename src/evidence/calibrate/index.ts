/** Measures the error rates of checks. */

export {
  type BadWork,
  type Calibrated,
  type CalibratedCheck,
  type CalibrateRequest,
  type CheckAnswer,
  calibrate,
  type GoodWork,
} from './calibrate.ts'
export {
  type Calibration,
  type CalibrationReport,
  type CheckCalibration,
  checkDigest,
  type FalseReject,
  type Stopped,
  type Survivor,
} from './calibration.ts'
export { harmlessChanges } from './harmless-changes.ts'
export { type PastCommit, revertedFixes } from './revert-fix.ts'
