export { createBlobStore } from './blob-store.ts'
export { type Database, openDatabase, type Synchronous } from './database.ts'
export { openStore } from './open-store.ts'
export type { StoreOptions } from './store-options.ts'
