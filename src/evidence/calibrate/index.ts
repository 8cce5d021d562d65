/** Measures the error rates of checks. */

export {
  type AskedCheck,
  type BadWork,
  type Calibrated,
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
  type Stopped,
  type Survivor,
  type TurnedAway,
} from './calibration.ts'
export { harmlessChanges } from './harmless-changes.ts'
export { type PastCommit, type RevertRequest, revertedFixes, takeBack } from './revert-fix.ts'
