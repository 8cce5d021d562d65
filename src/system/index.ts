export { baseEnvironment } from './base-environment.ts'
export { digestFiles, type FileDigest, sha256 } from './digest.ts'
export { guardedEntriesMax, openGuardedList } from './guarded-list.ts'
export { requireNoLinks, resolveHiddenPaths } from './hidden-paths.ts'
export { createLineSplitter } from './line-splitter.ts'
export { createLock, type Lock } from './lock.ts'
export { createOwnerId, localOwners, mayBeAlive } from './owner.ts'
export { runWithTimeout } from './run-with-timeout.ts'
export { readSmallFile, readSmallFileSync } from './small-file.ts'
export { stateFolder } from './state-folder.ts'
export { createSteadyTime } from './steady-time.ts'
export { explainTemporaryFolderErrors, makeTemporaryFolder } from './temporary-folder.ts'
export { settlesWithin } from './within.ts'
export {
  ensureWorkspaceFolder,
  findEnclosingGitDir,
  folderExists,
  isWithoutGit,
  makeFolder,
  pathInside,
  requireEmptyFolder,
  requireFolder,
  requireOutsideGitDir,
  requireReadable,
  resolveWorkspace,
  restoreFolder,
} from './workspace-folder.ts'
