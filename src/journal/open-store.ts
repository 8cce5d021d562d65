/**
 * The store in one SQLite file.
 *
 * E1. When `append` resolves, the unit is on disk. E10. When `createRun` resolves, so is the run.
 * E11. A decision is marked as applied in the transaction that holds its event, once.
 * Results are stored once, in their event; state is kept as the newest snapshot, written when the
 * tail has grown as large as the snapshot, so a resume reads at most twice what it needs.
 */

import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Store } from '../engine/index.ts'
import { type Database, inMemory, openDatabase, type Synchronous } from './database.ts'
import { createDecisions } from './decisions.ts'
import { createEventTable } from './event-table.ts'
import { createGroupCommit } from './group-commit.ts'
import { createLeases, type Moment } from './leases.ts'
import { createMergeTable } from './merges/merge-table.ts'
import { createQueueTable } from './queue-table.ts'
import { createRunTable } from './run-table.ts'
import { createScheduleTable } from './schedule-table.ts'
import { migrate } from './schema.ts'
import { openFailure, storeFailed } from './store-failures.ts'
import type { StoreOptions } from './store-options.ts'
import { createStoreReads } from './store-reads.ts'
import { createStoreWrites } from './store-writes.ts'
import { keepLogSmall } from './wal-size.ts'
import { createWatch } from './watch.ts'
import { createWriteTurns, readPatiently, standstillMs } from './write-turns.ts'

export function openStore(options: StoreOptions): Store {
  const { path } = options
  const database = options.database ?? openFile(path, options.synchronous ?? 'FULL')
  try {
    migrate(database, path)
    waitBriefly(database, path)
  } catch (error) {
    database.close()
    throw error
  }
  const now = momentOf(options)
  const watch = createWatch(database)
  const leases = createLeases(database, now, options.owners)
  const turns = createWriteTurns(database, options.patienceMs)
  const runs = createRunTable(database, leases.isHeld)
  const parts = {
    database,
    now,
    watch,
    leases,
    runs,
    decisions: createDecisions(database),
    turns,
    group: createGroupCommit(database, turns, options.schedule ?? setImmediate, {
      begin: leases.begin,
      commit: () => watch.notify('events'),
    }),
    events: createEventTable(database, path, runs.key),
    reading: async <T>(work: () => T): Promise<T> => {
      try {
        return await readPatiently(work, options.patienceMs)
      } catch (cause) {
        throw storeFailed(cause)
      }
    },
    queue: createQueueTable(database),
    merges: createMergeTable(database, now, options.owners),
    scheduled: createScheduleTable(database),
  }
  const keeper = keepLogSmall(database, path)
  return {
    ...createStoreReads(parts),
    ...createStoreWrites(parts),
    watch: watch.add,
    close: async () => {
      parts.group.flush()
      await turns.idle()
      keeper.stop()
      watch.close()
      foldLog(database)
      database.close()
    },
  }
}

function momentOf({ now, uptime }: StoreOptions): () => Moment {
  const wall = now ?? (() => Date.now())
  const up = uptime ?? now ?? uptimeMs
  return () => ({ wallMs: wall(), upMs: up() })
}

/** The same for all processes of the machine. */
const uptimeMs = (): number => Math.floor(Number(process.hrtime.bigint()) / 1e6)

/** From here on SQLite itself waits only briefly: writers take turns instead. */
function waitBriefly(database: Database, path: string): void {
  try {
    database.exec(`PRAGMA busy_timeout = ${standstillMs}`)
  } catch (cause) {
    throw openFailure(path, cause)
  }
}

/** Leaves a single file behind, even if the driver keeps handles open. */
function foldLog(database: Database): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // Content of the log is just as safe there; the next process checkpoints it.
  }
}

function openFile(path: string, synchronous: Synchronous): Database {
  if (path === inMemory) return openDatabase(path, synchronous)
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw storeFailed(cause)
  }
  return openDatabase(path, synchronous)
}
