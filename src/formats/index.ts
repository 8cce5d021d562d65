export { checkpointTree } from './checkpoint-source.ts'
export { fromCheckpointFile } from './from-checkpoint-file.ts'
export { parseCheckpointFile } from './parse-checkpoint-file.ts'
export { toCheckpointFile } from './to-checkpoint-file.ts'
