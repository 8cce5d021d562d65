export type { Replay, ReplayOptions, ReplayResult } from './replay.ts'
export { isReplayFolder } from './replay-folder.ts'
export { openReplay } from './replay-run.ts'
