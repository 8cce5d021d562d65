export { type Difference, describeDifference } from './compare.ts'
export type { Replay, ReplayOptions, ReplayResult, ReplayStart } from './replay.ts'
export { isReplayFolder, openReplay } from './replay-run.ts'
