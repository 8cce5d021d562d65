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
import type { Journal, Lease, Owner } from '../engine/index.ts'
import { isLoopError, type RecordedEvent, type RunId } from '../loop/index.ts'
import { type Database, inMemory, openDatabase, type Synchronous } from './database.ts'
import { createDecisions, type Decisions } from './decisions.ts'
import {
  createEventTable,
  type EventRange,
  type EventTable,
  type StoreRange,
} from './event-table.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { createLeases, type Leases, type Moment } from './leases.ts'
import { pageRuns, type RunPage, type RunPageOptions } from './page-runs.ts'
import { type AskedAfter, type AskedQuestion, readQuestions } from './question-table.ts'
import { createQueueTable, type QueueTable } from './queue-table.ts'
import { createRemoval, type RemoveOptions } from './remove-run.ts'
import { createRunFacts, type RunFact } from './run-facts.ts'
import { createRunQueue, type RunQueue } from './run-queue.ts'
import { createRunTable, type RunMaker, type RunTable } from './run-table.ts'
import { migrate, rollBack } from './schema.ts'
import { storeFailed } from './store-failures.ts'
import { type ChangedRuns, changedRuns, lastPosition } from './store-position.ts'
import { createUnitWriter } from './unit-writer.ts'
import { createWatch, type Watch } from './watch.ts'

export interface SqliteJournalOptions {
  /** The file, or `:memory:`. */
  readonly path: string
  readonly synchronous?: Synchronous
  /** The clock on the wall. Where it is given and `uptime` is not, it stands for both. */
  readonly now?: () => number
  /** Milliseconds since the machine was booted. */
  readonly uptime?: () => number
  /** When to write what waits; the next turn of the event loop unless told. */
  readonly schedule?: (flush: () => void) => void
  /** An open database instead of a path, for tests that make calls fail. */
  readonly database?: Database
}

export interface SqliteJournal extends Journal {
  /** As `acquire`, to decide about a run and not to work: who is in its workspace does not matter. */
  acquireIdle(run: RunId, owner: Owner): Promise<Lease>
  /**
   * A run whose agent could have made the repository at the top of a folder: it worked in a folder above it,
   * or in the folder itself, which was no repository then.
   */
  makerOfGit(folder: string): Promise<RunMaker | undefined>
  /** For good, all of it or nothing. Throws `run-busy`, and `wrong-status` where it has not ended. */
  removeRun(run: RunId, options?: RemoveOptions): Promise<void>
  /** The runs that a daemon is to drive. */
  readonly queue: RunQueue
  /** Whether a run was ever removed. */
  hasRemoved(): boolean
  /** What is known of a run besides its events, by name; see `run-facts.ts`. */
  facts(run: RunId): Promise<ReadonlyMap<string, RunFact>>
  setFact(run: RunId, name: string, fact: RunFact): Promise<void>
  read(run: RunId, range?: EventRange): Promise<readonly RecordedEvent[]>
  readStore(range: StoreRange): Promise<readonly RecordedEvent[]>
  /** Newest first, in pages. */
  pageRuns(options?: RunPageOptions): Promise<RunPage>
  /** What is asked of people now, in all runs; the earliest deadline first. */
  questions(options: {
    readonly limit: number
    readonly after?: AskedAfter
  }): Promise<readonly AskedQuestion[]>
  /** The answers of checks, in order. */
  readEvidence(
    run: RunId,
    range: { readonly afterSeq: number; readonly limit: number },
  ): Promise<readonly RecordedEvent[]>
  /** Where the last iteration ended that ended before, or at, an event; 0: none has. */
  boundaryBefore(run: RunId, seq: number): Promise<number>
  /** Where the record has got to. */
  lastPosition(): Promise<number>
  /** Which runs have events after a position, and where the record has got to. */
  changedRuns(afterPosition: number): Promise<ChangedRuns>
  /** Every hash that a row names, with whether it is a tree. */
  namedContent(): readonly { readonly hash: string; readonly isTree: boolean }[]
  /** Findings of SQLite's own full check; empty when all is well. */
  integrityProblems(): readonly string[]
}

export function openSqliteJournal(options: SqliteJournalOptions): SqliteJournal {
  const { path } = options
  const database = options.database ?? openFile(path, options.synchronous ?? 'FULL')
  try {
    migrate(database, path)
  } catch (error) {
    database.close()
    throw error
  }
  const now = momentOf(options)
  const watch = createWatch(database)
  const leases = createLeases(database)
  const runs = createRunTable(database)
  const parts = {
    database,
    now,
    watch,
    leases,
    runs,
    decisions: createDecisions(database),
    group: createGroupCommit(database, options.schedule ?? setImmediate, {
      begin: leases.begin,
      commit: () => watch.notify('events'),
    }),
    events: createEventTable(database, path, runs.key),
    queue: createQueueTable(database),
  }
  return {
    ...createReading(parts),
    ...createWriting(parts),
    watch: watch.add,
    close: async () => {
      parts.group.flush()
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
  readonly group: GroupCommit
  readonly events: EventTable
  readonly queue: QueueTable
}

type Looking =
  | 'pageRuns'
  | 'questions'
  | 'readEvidence'
  | 'boundaryBefore'
  | 'lastPosition'
  | 'changedRuns'
type Reading = 'findRun' | 'listRuns' | 'snapshot' | 'read' | 'readStore' | 'checkpoints' | 'tried'

function createReading(
  parts: Parts,
): Pick<SqliteJournal, Reading | 'pendingDecisions' | 'makerOfGit' | 'facts' | Looking> {
  const { database, runs, events, decisions, now } = parts
  const facts = createRunFacts(database)
  const reading = async <T>(work: () => T): Promise<T> => guarded(work)
  return {
    findRun: (idOrName) => reading(() => runs.find(idOrName, now())),
    listRuns: (filter) => reading(() => runs.list(filter?.status, filter?.limit ?? 1000, now())),
    pageRuns: (options = {}) => reading(() => pageRuns(database, options, now())),
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
  | 'hasRemoved'
  | 'setFact'
  | 'queue'

function createWriting(parts: Parts): Pick<SqliteJournal, Writing> {
  const { database, runs, leases, decisions, group, watch, now } = parts
  const writer = createUnitWriter(database)
  const removal = createRemoval(database, (key, run) => leases.requireFree(key, run, now()))
  function transaction<T>(work: () => T): T {
    try {
      database.exec('BEGIN IMMEDIATE')
      leases.begin()
      const result = work()
      database.exec('COMMIT')
      return result
    } catch (cause) {
      rollBack(database)
      throw storeFailed(cause)
    }
  }
  const acquire = async (run: RunId, owner: Owner, toWork: boolean): Promise<Lease> =>
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
      transaction(() => runs.insert(run))
      watch.notify('events')
    },
    acquire: (run, owner) => acquire(run, owner, true),
    acquireIdle: (run, owner) => acquire(run, owner, false),
    renew: async (lease) => transaction(() => leases.verify(runs.heldKey(lease.run), lease, now())),
    release: async (lease) => transaction(() => leases.drop(runs.heldKey(lease.run), lease)),
    append(lease, unit) {
      const key = guarded(() => runs.heldKey(lease.run))
      return group.add(key, () => {
        leases.verify(key, lease, now())
        writer.write(key, unit, decisions.markApplied)
      })
    },
    recordDecision: async (run, decision, by, atMs) => {
      const stored = transaction(() => decisions.insert(runs.key(run), decision, by, atMs))
      watch.notify('decisions')
      return stored
    },
    removeRun: async (run, options = {}) => {
      transaction(() => {
        const key = runs.key(run)
        removal.remove(key, options)
        writer.forget(key)
      })
      runs.forget(run)
      watch.notify('events')
    },
    setFact: async (run, name, fact) =>
      transaction(() => createRunFacts(database).set(runs.key(run), name, fact)),
    hasRemoved: () => guarded(removal.happened),
    queue: createRunQueue({ ...parts, now: () => now().wallMs, guarded, transaction }),
  }
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
