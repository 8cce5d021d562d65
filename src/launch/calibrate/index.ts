/** Measures the checks of loop files. */

export { calibrateLoop } from './calibrate-loop.ts'
