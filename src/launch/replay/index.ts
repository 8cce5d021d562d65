export { type Difference, describeDifference } from './find-difference.ts'
export type { Replay, ReplayOptions, ReplayResult, ReplayStart } from './replay.ts'
export { isReplayFolder } from './replay-folder.ts'
export { openReplay } from './replay-run.ts'
