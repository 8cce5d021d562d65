export { type PreflightReport } from './look-ahead.ts'
export { preflightLoop } from './preflight-loop.ts'
