/**
 * The log beside the database is folded into it by SQLite as it grows, unless somebody reads an old state
 * for long: then it grows until they are done. This folds it as soon as it can, also where nobody writes.
 */

import { statSync } from 'node:fs'
import { type Database, inMemory } from './database.ts'

const lookMs = 2000
const bytesMax = 32 * 1024 * 1024

export function keepLogSmall(database: Database, path: string): { stop(): void } {
  if (path === inMemory) return { stop: () => undefined }
  const timer = setInterval(() => {
    const found = statSync(`${path}-wal`, { throwIfNoEntry: false })
    if (found === undefined || found.size <= bytesMax) return
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // It is in use; the next look is soon.
    }
  }, lookMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
