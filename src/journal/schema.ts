/**
 * The tables, as a list of migrations. Each runs in one transaction together with the number that
 * says it was done, so a process killed half way leaves the version before.
 *
 * Released migrations are never edited; a change is a new entry.
 */

import { LoopError } from '../loop/index.ts'
import { applicationId, belongsToAnother, type Database } from './database.ts'
import { damaged, openFailure } from './store-failures.ts'

const migrations: readonly string[] = [
  `
  CREATE TABLE runs (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    loop TEXT NOT NULL,
    status TEXT NOT NULL,
    -- Where it began: 0, or the checkpoint that it goes on from.
    first_iteration INTEGER NOT NULL,
    workspace TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX runs_status ON runs (status, key);

  -- The record. "position" orders the store, "seq" orders the run and has no gaps.
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (key),
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_run_seq ON events (run, seq);

  CREATE TABLE leases (
    run INTEGER PRIMARY KEY REFERENCES runs (key),
    owner TEXT,
    fence INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;

  -- The newest snapshot only: older states are folds over the events before it.
  CREATE TABLE snapshots (
    run INTEGER PRIMARY KEY REFERENCES runs (key),
    seq INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE checkpoints (
    run INTEGER NOT NULL REFERENCES runs (key),
    iteration INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (run, iteration)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs (key),
    question TEXT,
    body TEXT NOT NULL,
    by TEXT NOT NULL,
    at INTEGER NOT NULL,
    applied_seq INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX decisions_one_answer ON decisions (run, question)
    WHERE question IS NOT NULL;
  CREATE INDEX decisions_pending ON decisions (run, id) WHERE applied_seq IS NULL;

  -- What garbage collection must keep: content and trees that events name.
  CREATE TABLE named_content (
    hash TEXT NOT NULL,
    is_tree INTEGER NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (key),
    PRIMARY KEY (hash, run)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The highest key of a run and position of an event that were removed: none is used twice.
  CREATE TABLE removed (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    run INTEGER NOT NULL,
    position INTEGER NOT NULL
  ) STRICT;
  INSERT INTO removed VALUES (1, 0, 0);
  `,
  `
  -- What agents tried, by all that they were given, and where the end of it is.
  CREATE TABLE tried (
    fingerprint TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (key),
    seq INTEGER NOT NULL,
    iteration INTEGER NOT NULL,
    PRIMARY KEY (fingerprint, run, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tried_run ON tried (run);
  `,
  `
  -- What is known of a run besides its events: where its folder is, what became of its work.
  CREATE TABLE facts (
    run INTEGER NOT NULL REFERENCES runs (key),
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (run, name)
  ) STRICT, WITHOUT ROWID;

  -- Runs that a daemon is to drive, until they end or somebody takes them back.
  CREATE TABLE queue (
    run INTEGER PRIMARY KEY REFERENCES runs (key),
    priority INTEGER NOT NULL,
    queued_at INTEGER NOT NULL,
    by TEXT,
    workspace TEXT,
    request TEXT NOT NULL,
    retry_at INTEGER,
    tries INTEGER NOT NULL,
    why TEXT
  ) STRICT;

  -- Keys of requests that made a run: the same one makes no second.
  CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (key),
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX requests_at ON requests (at);
  CREATE INDEX requests_run ON requests (run);
  `,
]

export const schemaVersion: number = migrations.length

/** Brings the file to the newest schema, or refuses it untouched. */
export function migrate(database: Database, path: string): void {
  let version = readNumber(database, path, 'PRAGMA user_version')
  if (version > 0 && readNumber(database, path, 'PRAGMA application_id') !== applicationId) {
    throw damaged(path, belongsToAnother)
  }
  if (version > schemaVersion) {
    throw new LoopError(
      'store-newer',
      `The journal ${path} was written by a newer version (schema ${version}, this program ` +
        `knows ${schemaVersion}). It was left as it is. Upgrade loopwright to open it.`,
    )
  }
  while (version < schemaVersion) version = step(database, path, migrations)
}

function step(database: Database, path: string, list: readonly string[]): number {
  try {
    database.exec('BEGIN IMMEDIATE')
    // Read again under the lock: another process may have been faster.
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
