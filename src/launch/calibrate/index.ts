/** Measures the checks of loop files. */

export type { CalibrationReport } from '../../evidence/index.ts'
export { calibrateLoop } from './calibrate-loop.ts'
