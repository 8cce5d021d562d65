/** Measures the error rates of checks. */

export { type BadWork, type CalibrationOutcome, type CheckAnswer, calibrate } from './calibrate.ts'
export { type Calibration, type CalibrationReport, checkDigest } from './calibration.ts'
export { harmlessChanges } from './harmless-changes.ts'
export { type PastCommit, revertedFixes } from './revert-fix.ts'
