/**
 * The store of runs as everything outside `journal/` sees it: what the engine needs, and what hosts, daemons
 * and commands need besides. Every method is asynchronous, so that a store may be a file or a server.
 * `storeContract` in `testing/` specifies each method as tests.
 */

import type { EventType, Json, RecordedEvent, RunId } from '../../loop/index.ts'
import type { AskedAfter, AskedQuestion } from './asked-question.ts'
import type { EventRange, Journal, StoreRange } from './journal.ts'
import type { Lease, Owner } from './lease.ts'
import type { Memories } from './memories.ts'
import type { MergeQueue } from './merge-queue.ts'
import type { RunPage, RunPageOptions } from './run-page.ts'
import type { RunQueue } from './run-queue.ts'
import type { SummaryPage, SummaryPageOptions } from './run-summaries.ts'
import type { Schedules } from './schedules.ts'
import type { Trust } from './trust.ts'

export interface Store extends Journal {
  /** The runs that a daemon is to drive. */
  readonly queue: RunQueue
  /** Work that waits to be merged into a branch. */
  readonly merges: MergeQueue
  /** What loops remember. */
  readonly memory: Memories
  /** The levels that loops were given and lost. */
  readonly trust: Trust
  /** What starts runs at a time or after an event. */
  readonly schedules: Schedules
  /** As `acquire`, to decide about a run and not to work: another run in its workspace does not matter. */
  acquireIdle(run: RunId, owner: Owner): Promise<Lease>
  /** Newest first, in pages. */
  pageRuns(options?: RunPageOptions): Promise<RunPage>
  /** As `pageRuns`, with what lists show of each run. */
  pageSummaries(options?: SummaryPageOptions): Promise<SummaryPage>
  /** How many runs there are, by status. */
  countRuns(): Promise<Readonly<Record<string, number>>>
  /**
   * A run whose agent could have created the repository at the top of a folder: it worked in a folder above it,
   * or in the folder itself, which was not a repository then.
   */
  makerOfGit(folder: string): Promise<RunMaker | undefined>
  /**
   * Removes a run for good, all of it or nothing. Rejects with `run-busy`, and with `wrong-status` if the run has
   * not ended. Positions of events are not used again.
   */
  removeRun(run: RunId, options?: RemoveOptions): Promise<void>
  /** Whether a run was ever removed. */
  hasRemoved(): Promise<boolean>
  /** E8. Forgets what agents tried, in one run or in all; resolves with the number of attempts. */
  forgetTried(run?: RunId): Promise<number>
  /** What is known about a run besides its events, by name. The newest value counts. */
  facts(run: RunId): Promise<ReadonlyMap<string, RunFact>>
  setFact(run: RunId, name: string, fact: RunFact): Promise<void>
  /** `read` as text, for programs that send events on. */
  readTexts(run: RunId, range?: EventRange): Promise<readonly EventText[]>
  /** `readStore` as text. */
  readStoreTexts(range: StoreRange): Promise<readonly EventText[]>
  /** The results of checks, in order. */
  readEvidence(
    run: RunId,
    range: { readonly afterSeq: number; readonly limit: number },
  ): Promise<readonly RecordedEvent[]>
  /** Questions that wait for a person, in all runs; the earliest deadline first. */
  questions(options: {
    readonly limit: number
    readonly after?: AskedAfter
  }): Promise<readonly AskedQuestion[]>
  /** The seq of the last end of an iteration up to an event; 0: there is none. */
  boundaryBefore(run: RunId, seq: number): Promise<number>
  /** The position of the newest event; 0: there is none. */
  lastPosition(): Promise<number>
  /** The runs that have events after a position, and the position of the newest one. */
  changedRuns(afterPosition: number): Promise<ChangedRuns>
  /** Every hash that a run names. */
  namedContent(): Promise<readonly NamedContent[]>
  /** What a full check of the store found; empty if it is intact. */
  integrityProblems(): Promise<readonly string[]>
  /** Rows that are read around because their content is damaged. Empty: none. */
  damagedRows(): Promise<readonly string[]>
}

/** A run, and the folder that it worked in. */
export interface RunMaker {
  readonly name: string
  readonly workspace: string
}

export interface RemoveOptions {
  /** Also a run that has not ended. */
  readonly force?: boolean
}

export interface RunFact {
  readonly value: Json
  readonly atMs: number
}

/** An event as it is sent on, not parsed. */
export interface EventText {
  readonly seq: number
  readonly position: number
  readonly type: EventType
  /** A `RecordedEvent` as JSON. */
  readonly json: string
}

export interface ChangedRuns {
  readonly position: number
  readonly runs: readonly RunId[]
}

export interface NamedContent {
  readonly hash: string
  readonly isTree: boolean
}
