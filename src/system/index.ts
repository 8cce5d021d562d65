export { baseEnvironment } from './base-environment.ts'
export { digestOf, type FileDigest, sha256 } from './digest.ts'
export { guardedEntriesMax, openGuardedList } from './guarded-list.ts'
export { hiddenPaths, requireNoLinks } from './hidden-paths.ts'
export { createLineSplitter } from './line-splitter.ts'
export { createLock, type Lock } from './lock.ts'
export { createOwner, localOwners, mayLive } from './owner.ts'
export { readSmallFile, readSmallFileSync } from './small-file.ts'
export { stateFolder } from './state-folder.ts'
export { createSteadyTime } from './steady-time.ts'
export { inTemporary, makeTemporaryFolder } from './temporary-folder.ts'
export { within } from './within.ts'
export { withinLimit } from './within-limit.ts'
export {
  gitDirAround,
  isWithoutGit,
  makeFolder,
  makeWorkFolder,
  mayBeFolder,
  pathInside,
  requireEmpty,
  requireFolder,
  requireNoGitDir,
  requireReadable,
  resolveWorkspace,
  restoreFolder,
} from './workspace-folder.ts'
