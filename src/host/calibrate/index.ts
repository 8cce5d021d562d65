/** Measures the checks of loop files. */

export { type CalibrateLoopOptions, calibrateLoop } from './calibrate-loop.ts'
export {
  calibrationRef,
  type KnownCalibration,
  keepCalibration,
  readCalibration,
} from './calibration-store.ts'
