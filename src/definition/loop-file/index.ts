export { describePowers } from './describe-powers.ts'
export {
  describeProblem,
  LoopFileError,
  type LoopFileProblem,
  pathName,
} from './loop-file-error.ts'

export { parseLoopFile } from './parse-loop-file.ts'
export { type ReadLoopFile, readLoopFile } from './read-loop-file.ts'
export { requireTrusted } from './require-trusted.ts'
export { openTrust, type TrustedEntry } from './trust.ts'
