/**
 * Brings a file to the newest schema. Each migration runs in one transaction together with its version number,
 * so a process that is killed halfway leaves the previous version.
 */

import { LoopError } from '../loop/index.ts'
import { applicationId, belongsToAnother, type Database } from './database.ts'
import { migrations } from './migrations.ts'
import { damaged, openFailure } from './store-failures.ts'

export const schemaVersion: number = migrations.length

/** Migrates the file to the newest schema, or refuses it unchanged. Older target versions are for tests. */
export function migrate(
  database: Database,
  path: string,
  list: readonly string[] = migrations,
): void {
  let version = readNumber(database, path, 'PRAGMA user_version')
  if (version > 0 && readNumber(database, path, 'PRAGMA application_id') !== applicationId) {
    throw damaged(path, belongsToAnother)
  }
  if (version > schemaVersion) {
    throw new LoopError(
      'store-newer',
      `The journal ${path} was written by a newer version (schema ${version}, this program ` +
        `knows ${schemaVersion}). It was not changed. Upgrade loopwright to open it.`,
    )
  }
  while (version < list.length) version = step(database, path, list)
}

function step(database: Database, path: string, list: readonly string[]): number {
  try {
    database.exec('BEGIN IMMEDIATE')
    // Read again under the lock: another process may have migrated it.
    const version = readNumber(database, path, 'PRAGMA user_version')
    const tables = readNumber(database, path, 'SELECT count(*) FROM sqlite_master')
    if (version === 0 && tables > 0) throw damaged(path, belongsToAnother)
    const migration = list[version]
    if (migration === undefined) {
      database.exec('ROLLBACK')
      return version
    }
    database.exec(migration)
    database.exec(`PRAGMA application_id = ${applicationId}`)
    database.exec(`PRAGMA user_version = ${version + 1}`)
    database.exec('COMMIT')
    return version + 1
  } catch (cause) {
    rollBack(database)
    throw cause instanceof LoopError ? cause : openFailure(path, cause)
  }
}

export function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite has already rolled back by itself.
  }
}

function readNumber(database: Database, path: string, sql: string): number {
  try {
    return Number(Object.values(database.prepare(sql).get() as object)[0])
  } catch (cause) {
    throw openFailure(path, cause)
  }
}
