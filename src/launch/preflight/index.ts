export { type PreflightReport, requireReady } from './look-ahead.ts'
export { preflightLoop } from './preflight-loop.ts'
