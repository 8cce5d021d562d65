/**
 * The record in one SQLite file.
 *
 * E1. What `append` resolved for is on disk. E10. So is a run that `createRun` resolved for.
 * E11. A decision is marked as applied in the transaction that holds its event, once.
 * Results are stored once, in their event; state is kept as the newest snapshot, written when the
 * tail has grown as large as the snapshot, so a resume reads at most twice what it needs.
 */

import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Lease, Owner } from '../engine/index.ts'
import { isLoopError, type RunId } from '../loop/index.ts'
import { type Database, inMemory, openDatabase, type Synchronous } from './database.ts'
import { createDecisions, type Decisions } from './decisions.ts'
import { createEventTable, type EventTable } from './event-table.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import type { SqliteJournal, SqliteJournalOptions } from './journal.ts'
import { createLeases, type Leases, type Moment } from './leases.ts'
import { countRuns, pageRuns } from './page-runs.ts'
import { readQuestions } from './question-table.ts'
import { createQueueTable, type QueueTable } from './queue-table.ts'
import { createRemoval } from './remove-run.ts'
import { createRunFacts } from './run-facts.ts'
import { createRunQueue } from './run-queue.ts'
import { createRunTable, type RunTable } from './run-table.ts'
import { migrate, rollBack } from './schema.ts'
import { openFailure, storeFailed } from './store-failures.ts'
import { changedRuns, lastPosition } from './store-position.ts'
import { createUnitWriter } from './unit-writer.ts'
import { keepLogSmall } from './wal-size.ts'
import { createWatch, type Watch } from './watch.ts'
import { createWriteTurns, readPatiently, standstillMs, type WriteTurns } from './write-turns.ts'

export type { SqliteJournal, SqliteJournalOptions } from './journal.ts'

export function openSqliteJournal(options: SqliteJournalOptions): SqliteJournal {
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
  const leases = createLeases(database)
  const turns = createWriteTurns(database, options.patienceMs)
  const runs = createRunTable(database)
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
  }
  const keeper = keepLogSmall(database, path)
  return {
    ...createReading(parts),
    ...createWriting(parts),
    watch: watch.add,
    close: async () => {
      parts.group.flush()
      await turns.idle()
      keeper.stop()
      watch.close()
      foldLog(database)
      database.close()
    },
    namedContent: () => namedContent(database),
    integrityProblems: () => integrityProblems(database),
  }
}

function momentOf({ now, uptime }: SqliteJournalOptions): () => Moment {
  const wall = now ?? (() => Date.now())
  const up = uptime ?? now ?? uptimeMs
  return () => ({ wallMs: wall(), upMs: up() })
}

/** The same for all processes of the machine. */
const uptimeMs = (): number => Math.floor(Number(process.hrtime.bigint()) / 1e6)

/** From here on nothing stands still for long: who waits does so by turns. */
function waitBriefly(database: Database, path: string): void {
  try {
    database.exec(`PRAGMA busy_timeout = ${standstillMs}`)
  } catch (cause) {
    throw openFailure(path, cause)
  }
}

/** Leaves one file behind, whatever the driver keeps open. */
function foldLog(database: Database): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // What is in the log is as safe there; the next process folds it.
  }
}

function guarded<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw storeFailed(cause)
  }
}

interface Parts {
  readonly database: Database
  readonly now: () => Moment
  readonly watch: Watch
  readonly leases: Leases
  readonly runs: RunTable
  readonly decisions: Decisions
  readonly turns: WriteTurns
  readonly group: GroupCommit
  reading<T>(work: () => T): Promise<T>
  readonly events: EventTable
  readonly queue: QueueTable
}

type Looking =
  | 'pageRuns'
  | 'countRuns'
  | 'questions'
  | 'readEvidence'
  | 'readTexts'
  | 'readStoreTexts'
  | 'boundaryBefore'
  | 'lastPosition'
  | 'changedRuns'
type Reading = 'findRun' | 'listRuns' | 'snapshot' | 'read' | 'readStore' | 'checkpoints' | 'tried'

function createReading(
  parts: Parts,
): Pick<SqliteJournal, Reading | 'pendingDecisions' | 'makerOfGit' | 'facts' | Looking> {
  const { database, runs, events, decisions, now, reading } = parts
  const facts = createRunFacts(database)
  return {
    findRun: (idOrName) => reading(() => runs.find(idOrName, now())),
    listRuns: (filter) => reading(() => runs.list(filter?.status, filter?.limit ?? 1000, now())),
    pageRuns: (options = {}) => reading(() => pageRuns(database, options, now())),
    countRuns: () => reading(() => countRuns(database)),
    questions: ({ limit, after }) => reading(() => readQuestions(database, limit, after)),
    readEvidence: (run, { afterSeq, limit }) =>
      reading(() => events.readEvidence(run, afterSeq, limit)),
    boundaryBefore: (run, seq) => reading(() => events.boundaryBefore(run, seq)),
    lastPosition: () => reading(() => lastPosition(database)),
    changedRuns: (afterPosition) => reading(() => changedRuns(database, afterPosition)),
    makerOfGit: (folder) => reading(() => runs.makerOfGit(folder)),
    snapshot: (run) => reading(() => events.snapshot(run)),
    read: (run, range = {}) => reading(() => events.read(run, range)),
    readStore: (range) => reading(() => events.readStore(range)),
    readTexts: (run, range = {}) => reading(() => events.readTexts(run, range)),
    readStoreTexts: (range) => reading(() => events.readStoreTexts(range)),
    checkpoints: (run) => reading(() => events.checkpoints(run)),
    tried: (fingerprint) => reading(() => events.tried(fingerprint)),
    facts: (run) => reading(() => facts.of(runs.key(run))),
    pendingDecisions: (run) => reading(() => decisions.pending(runs.key(run))),
  }
}

type Leasing = 'acquire' | 'acquireIdle' | 'renew' | 'release'
type Writing =
  | Leasing
  | 'createRun'
  | 'append'
  | 'recordDecision'
  | 'removeRun'
  | 'forgetTried'
  | 'hasRemoved'
  | 'setFact'
  | 'queue'

function createWriting(parts: Parts): Pick<SqliteJournal, Writing> {
  const { database, runs, leases, decisions, group, turns, watch, now } = parts
  const writer = createUnitWriter(database)
  const removal = createRemoval(database, (key, run) => leases.requireFree(key, run, now()))
  const transaction = <T>(work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const refuse = (cause: unknown): void => reject(storeFailed(cause))
      turns.take(() => {
        try {
          leases.begin()
          const result = work()
          database.exec('COMMIT')
          resolve(result)
        } catch (cause) {
          rollBack(database)
          refuse(cause)
        }
      }, refuse)
    })
  const acquire = (run: RunId, owner: Owner, toWork: boolean): Promise<Lease> =>
    transaction(() => {
      // Asked for anew, and then remembered as long as the lease is held.
      runs.forget(run)
      const key = runs.heldKey(run)
      writer.forget(key)
      if (toWork) leases.requireWorkspace(key, now())
      return leases.take(key, run, owner, now())
    })
  return {
    createRun: async (run) => {
      await transaction(() => runs.insert(run))
      watch.notify('events')
    },
    acquire: (run, owner) => acquire(run, owner, true),
    acquireIdle: (run, owner) => acquire(run, owner, false),
    // Leases of many runs are renewed at the same moment, and share a commit.
    async renew(lease) {
      const key = guarded(() => runs.heldKey(lease.run))
      await group.add(seriesOf(lease), () => leases.verify(key, lease, now()), { isQuiet: true })
    },
    release: (lease) => transaction(() => leases.drop(runs.heldKey(lease.run), lease)),
    append(lease, unit) {
      const key = guarded(() => runs.heldKey(lease.run))
      return group.add(seriesOf(lease), () => {
        leases.verify(key, lease, now())
        writer.write(key, unit, decisions.markApplied)
      })
    },
    recordDecision: async (run, decision, by, atMs) => {
      const stored = await transaction(() => decisions.insert(runs.key(run), decision, by, atMs))
      watch.notify('decisions')
      return stored
    },
    removeRun: async (run, options = {}) => {
      await transaction(() => {
        const key = runs.key(run)
        removal.remove(key, options)
        writer.forget(key)
      })
      runs.forget(run)
      watch.notify('events')
    },
    setFact: (run, name, fact) =>
      transaction(() => createRunFacts(database).set(runs.key(run), name, fact)),
    forgetTried: (run) => transaction(() => forgetTried(database, run && runs.key(run))),
    hasRemoved: () => guarded(removal.happened),
    queue: createRunQueue({ ...parts, now: () => now().wallMs, transaction }),
  }
}

function forgetTried(database: Database, key: number | undefined): number {
  const { changes } =
    key === undefined
      ? database.prepare('DELETE FROM tried').run()
      : database.prepare('DELETE FROM tried WHERE run = ?').run(key)
  return Number(changes)
}

function namedContent(database: Database): ReturnType<SqliteJournal['namedContent']> {
  return guarded(() => {
    const rows = database.prepare('SELECT DISTINCT hash, is_tree FROM named_content').all()
    return (rows as { hash: string; is_tree: number }[]).map((row) => ({
      hash: row.hash,
      isTree: row.is_tree === 1,
    }))
  })
}

/** Damage may be such that the check itself fails: that is a finding too. */
function integrityProblems(database: Database): readonly string[] {
  try {
    const rows = guarded(() => database.prepare('PRAGMA integrity_check').all())
    return (rows as { integrity_check: string }[])
      .map((row) => row.integrity_check)
      .filter((line) => line !== 'ok')
  } catch (error) {
    if (!isLoopError(error, 'store-damaged')) throw error
    return [error.message]
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

/** What one holder of a run writes. */
const seriesOf = ({ run, fence }: Lease): string => `${run}/${fence}`
