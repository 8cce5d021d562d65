export { digestOf, type FileDigest, sha256 } from '../../system/index.ts'
export { describePowers } from './describe-powers.ts'
export {
  describeProblem,
  LoopFileError,
  type LoopFileProblem,
  pathName,
} from './loop-file-error.ts'
export { type ParsedLoopFile, type ParseOptions, parseLoopFile } from './parse-loop-file.ts'
export { type ReadLoopFile, readLoopFile } from './read-loop-file.ts'
export { requireTrusted, type ToTrust } from './require-trusted.ts'
export type { Position } from './source-text.ts'
export { openTrust, type Trust, type TrustEntry, type TrustedEntry } from './trust.ts'
