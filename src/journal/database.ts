/**
 * SQLite, by the API of `node:sqlite`: the built-in module where Node has one, else the same API
 * from `@photostructure/sqlite`. Nothing else in the product knows which.
 *
 * S1. WAL and `synchronous` are set on every open; a default that differs between builds is not
 *     trusted.
 */

import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { LoopError } from '../loop/index.ts'

export type SqlValue = null | number | bigint | string | Uint8Array

export const orNull = (value: string | undefined): SqlValue => value ?? null

export interface Statement {
  run(...values: SqlValue[]): { readonly changes: number | bigint }
  get(...values: SqlValue[]): unknown
  all(...values: SqlValue[]): unknown[]
}

export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

type DatabaseConstructor = new (path: string) => Database

export type Synchronous = 'FULL' | 'NORMAL'

/** "LPWR": tells our files from any other SQLite database. */
export const applicationId = 0x4c505752

const busyTimeoutMs = 10_000

export function openDatabase(path: string, synchronous: Synchronous): Database {
  refuseForeignFile(path)
  const DatabaseSync = loadDriver()
  let database: Database | undefined
  try {
    database = new DatabaseSync(path)
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    database.exec('PRAGMA journal_mode = WAL')
    database.exec(`PRAGMA synchronous = ${synchronous}`)
    database.exec('PRAGMA journal_size_limit = 16777216')
    database.exec('PRAGMA foreign_keys = ON')
    return database
  } catch (cause) {
    database?.close()
    throw openFailure(path, cause)
  }
}

function loadDriver(): DatabaseConstructor {
  const require = createRequire(import.meta.url)
  for (const name of ['node:sqlite', '@photostructure/sqlite']) {
    try {
      return silently(() => require(name) as { DatabaseSync: DatabaseConstructor }).DatabaseSync
    } catch {
      // Not in this Node, or not installed: the next one.
    }
  }
  throw new LoopError(
    'not-available',
    'This Node has no node:sqlite and the package @photostructure/sqlite is not installed. ' +
      'Use Node 22.13 or newer, or run: npm install @photostructure/sqlite',
  )
}

/** Node 22 prints a warning when its SQLite is loaded; it is not news to our users. */
function silently<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

const headerBytes = 100
const magic = 'SQLite format 3\0'

/** Looks at the first bytes without opening the file as a database, so that nothing is changed. */
function refuseForeignFile(path: string): void {
  const header = Buffer.alloc(headerBytes)
  let size: number
  try {
    const file = openSync(path, 'r')
    try {
      size = fstatSync(file).size
      readSync(file, header, 0, headerBytes, 0)
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return
    throw openFailure(path, cause)
  }
  if (size === 0) return
  if (size < headerBytes || header.toString('latin1', 0, 16) !== magic) {
    throw damaged(path, 'it is not a SQLite database')
  }
  if (isForeign(header)) throw damaged(path, belongsToAnother)
  if (size < databaseBytes(header) && isMissingOrEmpty(`${path}-wal`)) {
    throw damaged(path, 'a part of it is missing')
  }
}

export const belongsToAnother = 'it belongs to another program'

/** Without an id, a file is ours only while nothing was ever written to it. */
function isForeign(header: Buffer): boolean {
  const [schemaCookie, userVersion, id] = [40, 60, 68].map((at) => header.readUInt32BE(at))
  if (id !== 0) return id !== applicationId
  return schemaCookie !== 0 || userVersion !== 0
}

function databaseBytes(header: Buffer): number {
  const pageBytes = header.readUInt16BE(16)
  return header.readUInt32BE(28) * (pageBytes === 1 ? 65_536 : pageBytes)
}

const isMissingOrEmpty = (path: string): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0

/** Why a journal could not be opened or prepared; damage is told from a disk that fails for now. */
export function openFailure(path: string, cause: unknown): LoopError {
  const message = cause instanceof Error ? cause.message : String(cause)
  if (/malformed|not a database|corrupt/i.test(message)) return damaged(path, message, cause)
  return new LoopError(
    'store-failed',
    `The journal ${path} cannot be opened: ${message}. ` +
      'Check the disk, its space and the rights on that folder, then try again.',
    { cause },
  )
}

export function damaged(path: string, what: string, cause?: unknown): LoopError {
  return new LoopError(
    'store-damaged',
    `The journal ${path} is not usable: ${what}. It was left as it is. ` +
      'Restore it from a backup, or move it away to start with an empty one.',
    { cause },
  )
}
