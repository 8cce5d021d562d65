/**
 * Locks a file for as long as this process lives: a SQLite database in an exclusive transaction. The
 * kernel releases the lock when the process ends in any way, so a lock is never stale; a stopped process
 * keeps its lock.
 *
 * H1. Nothing is written to the file: a full disk does not matter once it exists.
 * H2. Only SQLite opens the file: closing any other handle of it would release the lock.
 */

import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { type Database, loadDriver } from './database.ts'

export interface HeldFile {
  release(): void
}

/** Undefined: another process holds it. Throws the system's error if the file cannot be created or used. */
export function lockFile(path: string): HeldFile | undefined {
  const DatabaseSync = loadDriver()
  if (statSync(path, { throwIfNoEntry: false }) === undefined) closeSync(openSync(path, 'a', 0o600))
  let database: Database | undefined
  try {
    database = new DatabaseSync(path)
    // Two processes that try at the same instant conflict: one of them must wait a moment.
    database.exec('PRAGMA busy_timeout = 250')
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

/** The process that holds the lock according to the kernel; undefined if unknown. */
export function holderOf(path: string): number | undefined {
  try {
    const { dev, ino } = statSync(path)
    const locks = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .map(([, , , kind, pid, file = '']) => ({ kind, pid: Number(pid), file }))
      .filter(({ kind, pid, file }) => kind === 'WRITE' && pid > 0 && file.endsWith(`:${ino}`))
    const exact = locks.find(({ file }) => file === `${deviceOf(dev)}:${ino}`)
    // Some file systems report a different device number there, which may belong to another file.
    return (exact ?? locks.find(({ pid }) => hasOpen(pid, { dev, ino })))?.pid
  } catch {
    return undefined
  }
}

function hasOpen(pid: number, file: { readonly dev: number; readonly ino: number }): boolean {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).some((name) => {
    const found = statSync(`${folder}/${name}`, { throwIfNoEntry: false })
    return found?.dev === file.dev && found.ino === file.ino
  })
}

/** In the format of the kernel: both numbers in hex. */
function deviceOf(dev: number): string {
  const major = (dev >> 8) & 0xfff
  const minor = (dev & 0xff) | ((dev >> 12) & 0xfff00)
  return [major, minor].map((number) => number.toString(16).padStart(2, '0')).join(':')
}
