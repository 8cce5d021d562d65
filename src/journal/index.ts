export { type BlobStore, createBlobStore } from './blob-store.ts'
export { type Database, openDatabase, type Synchronous } from './database.ts'
export { decodeEvent } from './event-code.ts'
export type { EventRange, StoreRange } from './event-table.ts'
export { type HeldFile, holderOf, holdFile } from './hold-file.ts'

export { createOwner, mayLive } from './owner.ts'
export type { RunFilter, RunPage, RunPageOptions } from './page-runs.ts'
export type { AskedAfter, AskedQuestion } from './question-table.ts'
export type { KnownRequest, NewQueueRow, QueueRow, RequestKey } from './queue-table.ts'
export type { RemoveOptions } from './remove-run.ts'
export type { RunFact } from './run-facts.ts'
export type { RunQueue } from './run-queue.ts'
export { schemaVersion } from './schema.ts'
export {
  openSqliteJournal,
  type SqliteJournal,
  type SqliteJournalOptions,
} from './sqlite-journal.ts'
export type { ChangedRuns } from './store-position.ts'
