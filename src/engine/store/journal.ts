/**
 * What the engine needs of a store to drive runs: their events, and the right to write them.
 *
 * Contract: a promise resolves only when the change is on disk (E1, E10); a unit whose lease is no longer
 * the newest is rejected with `fenced`; a store that failed rejects with `store-failed` and has changed
 * nothing.
 */

import type {
  BlobId,
  Decision,
  EventType,
  RecordedEvent,
  RunEvent,
  RunId,
  RunState,
  RunStatus,
  StoredDecision,
  StoredState,
  TreeId,
} from '../../loop/index.ts'
import type { Lease, Owner } from './lease.ts'

export interface Journal {
  /** Rejects with `name-taken`, and with `unknown-run` if the run that it is forked from is gone. */
  createRun(run: NewRun): Promise<void>
  /** By id, name, or a unique beginning of either. Rejects with `unknown-run`, `ambiguous-run`. */
  findRun(idOrName: string): Promise<RunRow>
  /** Newest first. */
  listRuns(options?: {
    readonly status?: RunStatus
    readonly limit?: number
  }): Promise<readonly RunRow[]>
  /**
   * Rejects with `run-busy` while another owner holds the run, and with `workspace-busy` while another run is
   * at work in the same workspace, above it or below it.
   */
  acquire(run: RunId, owner: Owner): Promise<Lease>
  renew(lease: Lease): Promise<void>
  release(lease: Lease): Promise<void>
  /** Rejects with `fenced`, and with `store-failed` if the unit does not follow the last event. */
  append(lease: Lease, unit: Unit): Promise<void>
  /** The last snapshot, if there is one, as it was written. */
  snapshot(run: RunId): Promise<StoredState | undefined>
  read(run: RunId, range?: EventRange): Promise<readonly RecordedEvent[]>
  /** All runs' events in the order of the store. */
  readStore(range: StoreRange): Promise<readonly RecordedEvent[]>
  /** Where iterations ended: what can be forked, exported and rewound to. */
  checkpoints(run: RunId): Promise<readonly Checkpoint[]>
  /** E8. Steps in which agents were given exactly this and finished; the newest first. */
  tried(fingerprint: string): Promise<readonly PastAttempt[]>
  /**
   * Stores a decision. Rejects with `already-answered` for a second answer to one question, and with
   * `wrong-status` for a run that has ended.
   */
  recordDecision(
    run: RunId,
    decision: Decision,
    by: string,
    atMs: number,
    /** The name that the request claimed. */
    claimedBy?: string,
  ): Promise<StoredDecision>
  /** Decisions that no event has applied yet, in their order. */
  pendingDecisions(run: RunId): Promise<readonly StoredDecision[]>
  /** Calls back after such writes of this process and, a moment later, of others. */
  watch(topic: Topic, onChange: () => void): () => void
  close(): Promise<void>
}

export interface NewRun {
  readonly id: RunId
  readonly name: string
  readonly loop: string
  readonly workspace?: string
  readonly atMs: number
  readonly event: RunEvent
  readonly blobs: readonly BlobId[]
  readonly trees: readonly TreeId[]
}

/** A run as lists show it; the store keeps this row in step with the events. */
export interface RunRow {
  readonly id: RunId
  readonly name: string
  readonly loop: string
  readonly status: RunStatus
  readonly iteration: number
  readonly workspace?: string
  /** Of a run in a worktree: the folder of its repository. */
  readonly repository?: string
  /** Of a run in a worktree. Only lists have it. */
  readonly branch?: string
  /** The paths of the files that it builds from, in the workspace. Only lists and details have them. */
  readonly spec?: string
  readonly plan?: string
  /** Its work waits to be merged into this branch; 1: it is next. Only lists and details have it. */
  readonly merging?: { readonly target: string; readonly position: number }
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly lastSeq: number
  /** A process drives it now. */
  readonly held: boolean
  /** Its process ended without recording an end; it can be resumed. */
  readonly interrupted: boolean
}

/** What is written together or not at all. */
export interface Unit {
  /** The seq of the first event; the others follow without a gap. */
  readonly firstSeq: number
  readonly atMs: number
  readonly events: readonly RunEvent[]
  /** The state after the last event. */
  readonly state: RunState
  /**
   * A state on the way that is worth keeping, so that a resume need not read what came before it:
   * one between two iterations.
   */
  readonly boundary: RunState | undefined
  /** Content that these events name, kept from garbage collection. */
  readonly blobs: readonly BlobId[]
  readonly trees: readonly TreeId[]
}

/** Which events of a run are read. */
export interface EventRange {
  readonly afterSeq?: number
  readonly toSeq?: number
  readonly limit?: number
  /** Only these. */
  readonly types?: readonly EventType[]
  /** Stops after the event that reaches this size, counted by the stored events. */
  readonly bytesMax?: number
}

/** Which events of all runs are read. */
export interface StoreRange {
  readonly afterPosition: number
  readonly limit: number
  readonly bytesMax?: number
}

export interface PastAttempt {
  readonly run: RunId
  readonly iteration: number
  /** The end of the agent's step. */
  readonly seq: number
}

export type Topic = 'events' | 'decisions'

export interface Checkpoint {
  readonly iteration: number
  readonly seq: number
  readonly atMs: number
}
