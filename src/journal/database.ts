/**
 * SQLite through the API of `node:sqlite`: the built-in module if Node has one, otherwise the same API
 * from `@photostructure/sqlite`. No other code knows which one is used.
 *
 * S1. WAL and `synchronous` are set on every open; a default that differs between builds is not
 *     trusted.
 * S2. A file that a connection of this process has open is not opened outside of SQLite: closing that
 *     handle would drop the locks of all connections to it.
 */

import {
  chmodSync,
  closeSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { keepStatements } from './kept-statements.ts'
import { damaged, isBusyError, openFailure } from './store-failures.ts'

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

export type DatabaseConstructor = new (path: string) => Database

export type Synchronous = 'FULL' | 'NORMAL'

/** "LPWR": distinguishes our files from other SQLite databases. */
export const applicationId = 0x4c505752

export const inMemory = ':memory:'

/** Blocks the process, which is acceptable only while opening; an open journal uses `write-turns`. */
const busyTimeoutMs = 5000

/** Processes that open a new file at the same time conflict, and SQLite does not wait for that. */
const openingMs = 10_000

export function openDatabase(path: string, synchronous: Synchronous): Database {
  const DatabaseSync = loadDriver()
  const letGo = path === inMemory ? () => undefined : claimFile(path)
  let database: Database | undefined
  try {
    database = keepStatements(new DatabaseSync(path), letGo)
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    useLog(database)
    database.exec(`PRAGMA synchronous = ${synchronous}`)
    database.exec('PRAGMA journal_size_limit = 16777216')
    database.exec('PRAGMA foreign_keys = ON')
    return database
  } catch (cause) {
    if (database === undefined) letGo()
    database?.close()
    throw openFailure(path, cause)
  }
}

function useLog(database: Database): void {
  const endsAtMs = performance.now() + openingMs
  while (true) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      return
    } catch (cause) {
      if (!isBusyError(cause) || performance.now() > endsAtMs) throw cause
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 + Math.random() * 20)
  }
}

export function loadDriver(): DatabaseConstructor {
  const require = createRequire(import.meta.url)
  for (const name of ['node:sqlite', '@photostructure/sqlite']) {
    try {
      return silently(() => require(name) as { DatabaseSync: DatabaseConstructor }).DatabaseSync
    } catch {
      // Not in this Node, or not installed: try the next one.
    }
  }
  throw new LoopError(
    'not-available',
    'This Node has no node:sqlite and the package @photostructure/sqlite is not installed. ' +
      'Use Node 22.13 or newer, or run: npm install @photostructure/sqlite',
  )
}

/** Node 22 prints a warning when its SQLite is loaded, which does not help our users. */
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

/** The number of connections of this process to each file, by device and inode. */
const openHere = new Map<string, number>()

/** Ensures that the file is ours and private to its owner; returns a function to call at the end. */
function claimFile(path: string): () => void {
  let key: string
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) closeSync(openSync(path, 'a', 0o600))
    else if (!found.isFile()) throw damaged(path, 'it is not a regular file')
    else if (!openHere.has(keyOf(found))) refuseForeignFile(path, found)
    // SQLite creates its other files with the mode of this one.
    chmodSync(path, 0o600)
    key = keyOf(statSync(path))
  } catch (cause) {
    throw cause instanceof LoopError ? cause : openFailure(path, cause)
  }
  openHere.set(key, (openHere.get(key) ?? 0) + 1)
  return () => {
    const others = (openHere.get(key) ?? 0) - 1
    if (others > 0) openHere.set(key, others)
    else openHere.delete(key)
  }
}

const keyOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`

/** Reads the first bytes without opening the file as a database, so that nothing is changed. */
function refuseForeignFile(path: string, found: Stats): void {
  const { size } = found
  if (size === 0) {
    if (hasContent(join(dirname(path), 'blobs'))) throw damaged(path, emptiedMessage)
    return
  }
  const header = readHeader(path)
  if (size < headerBytes || header.toString('latin1', 0, 16) !== magic) {
    throw damaged(path, 'it is not a SQLite database')
  }
  if (isForeign(header)) throw damaged(path, belongsToAnother)
  if (size < databaseBytes(header) && isMissingOrEmpty(`${path}-wal`)) {
    throw damaged(path, 'it is truncated')
  }
}

const emptiedMessage = 'it is empty, but the folder contains content of its runs'

const hasContent = (folder: string): boolean =>
  isFolder(folder) && readdirSync(folder).some((name) => name !== 'tmp')

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(headerBytes)
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, headerBytes, 0)
    return header
  } finally {
    closeSync(file)
  }
}

export const belongsToAnother = 'it belongs to another program'

/** A file without an id is ours only if nothing was ever written to it. */
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
