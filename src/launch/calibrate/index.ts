/** Measures the checks of loop files. */

export type { CalibrationReport } from '../../evidence/index.ts'
export { type CalibrateLoopOptions, calibrateLoop } from './calibrate-loop.ts'
export {
  type KnownCalibration,
  keepCalibration,
  mayBeCalibrated,
  readCalibration,
} from './calibration-store.ts'
