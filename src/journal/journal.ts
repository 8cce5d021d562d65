/** What the record in SQLite offers besides the port of the engine, and how it is opened. */

import type { Journal, Lease, Owner } from '../engine/index.ts'
import type { RecordedEvent, RunId } from '../loop/index.ts'
import type { Database, Synchronous } from './database.ts'
import type { EventRange, StoreRange } from './event-table.ts'
import type { RunPage, RunPageOptions } from './page-runs.ts'
import type { AskedAfter, AskedQuestion } from './question-table.ts'
import type { RemoveOptions } from './remove-run.ts'
import type { EventText } from './rows.ts'
import type { RunFact } from './run-facts.ts'
import type { RunQueue } from './run-queue.ts'
import type { RunMaker } from './run-table.ts'
import type { ChangedRuns } from './store-position.ts'

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
  /** How long a process waits for another that holds the record; a minute unless told. */
  readonly patienceMs?: number
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
  /** E8. Forgets what agents tried, in one run or in all; resolves with how many attempts. */
  forgetTried(run?: RunId): Promise<number>
  /** Whether a run was ever removed. */
  hasRemoved(): boolean
  /** What is known of a run besides its events, by name; see `run-facts.ts`. */
  facts(run: RunId): Promise<ReadonlyMap<string, RunFact>>
  setFact(run: RunId, name: string, fact: RunFact): Promise<void>
  read(run: RunId, range?: EventRange): Promise<readonly RecordedEvent[]>
  readStore(range: StoreRange): Promise<readonly RecordedEvent[]>
  /** The same as text, for those who send it on. */
  readTexts(run: RunId, range?: EventRange): Promise<readonly EventText[]>
  readStoreTexts(range: StoreRange): Promise<readonly EventText[]>
  /** Newest first, in pages. */
  pageRuns(options?: RunPageOptions): Promise<RunPage>
  /** How many runs there are, by status. */
  countRuns(): Promise<Readonly<Record<string, number>>>
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
