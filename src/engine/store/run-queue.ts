/** Runs that a daemon is to drive, and the keys of the requests that created them. */

import type { Json, RunId, RunStatus } from '../../loop/index.ts'
import type { NewRun } from './journal.ts'

/**
 * Q1. A run, its row in the queue and the key of its request are written together or not at all, so that a
 *     request that is sent again finds its run (E10).
 * Q2. Keys are kept for a day, and no more than the newest ten thousand (E9).
 */
export interface RunQueue {
  /** Q1. Rejects with `key-reused` if the key already created a run. */
  create(run: NewRun, row: NewQueueRow, request?: RequestKey): Promise<void>
  /** Adds the row of a run, or replaces it. */
  put(run: RunId, row: NewQueueRow): Promise<void>
  remove(run: RunId): Promise<void>
  /** Undefined: the run is not queued. Rejects with `unknown-run`. */
  row(run: RunId): Promise<QueueRow | undefined>
  /** The oldest first. */
  list(): Promise<readonly QueueRow[]>
  /** Queued runs that have neither ended nor been paused. */
  open(): Promise<readonly RunId[]>
  /** The run that this key created. */
  request(key: string): Promise<KnownRequest | undefined>
}

/** How a queued run was requested. */
export interface NewQueueRow {
  readonly priority: number
  readonly queuedAtMs: number
  readonly by?: string
  /** The folder that the request named: it counts as the run's workspace. */
  readonly workspace?: string
  /** How to drive it. Only the driver reads this. */
  readonly request: Json
  /** Not before this moment. */
  readonly retryAtMs?: number
  /** How many attempts in a row failed. */
  readonly tries: number
  /** Why the last one failed. */
  readonly why?: string
}

export interface QueueRow extends NewQueueRow {
  readonly run: RunId
  readonly name: string
  readonly status: RunStatus
  /** The folder that the run works in: not `workspace` if it is a worktree. */
  readonly place?: string
}

/** Identifies a request, so that sending it again creates no second run. */
export interface RequestKey {
  readonly key: string
  /** Of everything that was requested. */
  readonly digest: string
}

export interface KnownRequest extends RequestKey {
  readonly run: RunId
}
