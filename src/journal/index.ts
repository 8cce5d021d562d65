export type { Database, Synchronous } from './database.ts'
export { createOwner } from './owner.ts'
export { schemaVersion } from './schema.ts'
export {
  openSqliteJournal,
  type SqliteJournal,
  type SqliteJournalOptions,
} from './sqlite-journal.ts'
