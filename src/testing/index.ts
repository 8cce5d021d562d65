export {
  type Blobs,
  createRun,
  driveRun,
  type Files,
  forkRun,
  type Journal,
  loadRun,
  type Ports,
  stateAt,
  systemClock,
  type Workspace,
} from '../engine/index.ts'
export {
  createBlobStore,
  createOwner,
  type Database,
  openDatabase,
  openSqliteJournal,
  type SqliteJournal,
} from '../journal/index.ts'
export { createPlainCommands } from '../sandbox/index.ts'
export { createDirectoryWorkspace } from '../workspace/index.ts'
export { memoryBlobs } from './memory-blobs.ts'
