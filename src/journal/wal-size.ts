/**
 * SQLite checkpoints the write-ahead log as it grows, except while a reader keeps an old snapshot open:
 * then the log grows until the reader is done. This checkpoints it as soon as possible, even without
 * further writes.
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
      // It is in use; the next attempt is soon.
    }
  }, lookMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
