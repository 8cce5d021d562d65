/**
 * Holds a file for as long as this process lives: a SQLite database in an exclusive transaction. The
 * kernel lets go when the process ends, in whatever way, so what is held is never stale; and a process
 * that stands still holds on.
 *
 * H1. Nothing is written to the file: a full disk does not matter once it is there.
 * H2. The file is opened by SQLite alone: to close any other handle of it would let go.
 */

import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { type Database, loadDriver } from './database.ts'

export interface HeldFile {
  release(): void
}

/** Undefined: another holds it. Rejected as the system said where the file cannot be made or used. */
export function holdFile(path: string): HeldFile | undefined {
  const DatabaseSync = loadDriver()
  if (statSync(path, { throwIfNoEntry: false }) === undefined) closeSync(openSync(path, 'a', 0o600))
  let database: Database | undefined
  try {
    database = new DatabaseSync(path)
    database.exec('PRAGMA busy_timeout = 0')
    // There is nothing to roll back.
    database.exec('PRAGMA journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database?.close()
    if (error instanceof Error && /\bis locked|SQLITE_BUSY/i.test(error.message)) return undefined
    throw error
  }
  const held = database
  return { release: () => held.close() }
}

/** Which process holds it, as the kernel says; undefined where it says nothing. */
export function holderOf(path: string): number | undefined {
  try {
    const { ino } = statSync(path)
    const lock = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .find((fields) => fields[3] === 'WRITE' && fields[5]?.split(':')[2] === String(ino))
    const pid = Number(lock?.[4])
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}
