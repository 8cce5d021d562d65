/** What the parts of the daemon see of each other. */

import type { RunRow } from '../engine/index.ts'
import type { Host } from '../host/host.ts'
import type { ReadLoops } from '../launch/load-loop.ts'
import type { RunId } from '../loop/index.ts'
import type {
  CallerEnvironment,
  ForkRequest,
  NewRunRequest,
  QueueEntry,
  QueuePolicy,
  RetryRequest,
} from '../protocol/api/index.ts'

export interface DaemonSettings {
  /** The state folder. */
  readonly folder: string
  readonly hostname: string
  /** 0: any that is free. */
  readonly port: number
  /** Where that one is taken, any other: nobody asked for it. */
  readonly orAnyPort?: boolean
  /** Files in PEM. Without them it listens on this machine only. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Other names that it is asked by, where it listens with TLS. */
  readonly publicNames?: readonly string[]
  readonly maxConcurrentRuns: number
  readonly maxRunsPerWorkspace: number
  readonly queuePolicy: QueuePolicy
}

/** Who may do what. */
export type Scope = 'read' | 'write'

/** Starts runs, in a daemon or in this process. What it accepted is on disk before it answers (E10). */
export interface RunStarter {
  /**
   * Creates a run and queues it. With a key that was used before: the run of that time, if the request
   * was the same; rejects with `key-reused` if it was another.
   */
  submit(request: NewRunRequest, idempotencyKey?: string): Promise<Submitted>
  /** Has a run driven again that is there: one that was paused, suspended, or left by its process. */
  enqueue(run: RunId, options?: EnqueueOptions): Promise<void>
  /** Creates a run that retries one that ended without completing. */
  retry(run: RunId, request?: RetryRequest): Promise<Submitted>
  /** Creates a run that continues from a checkpoint of another. */
  fork(run: RunId, request: ForkRequest): Promise<Submitted>
  /** Whether this scheduler, or another process, drives it now: then it is not taken up again. */
  isDriven(run: RunRow): boolean
  /** Takes it off the queue. One that is driven is told to suspend, and this resolves when it did. */
  release(run: RunId): Promise<void>
  /** All that are to be driven: those at work first, then by position. */
  queue(): readonly QueueEntry[] | Promise<readonly QueueEntry[]>
  entry(run: RunId): QueueEntry | undefined
  /**
   * Lets those at work finish their step, within the grace time or until it hurries; the queue stays on
   * disk.
   */
  drain(hurry?: AbortSignal): Promise<void>
}

export interface Submitted {
  readonly run: RunRow
  /** False: it was there before, by its key. */
  readonly isNew: boolean
  /** Why it works in the folder itself, without a worktree. */
  readonly why?: string
}

/** Decides which runs of the queue are driven now. */
export interface Scheduler extends RunStarter {
  queue(): readonly QueueEntry[]
}

export interface EnqueueOptions {
  readonly priority?: number
  readonly attended?: boolean
  readonly force?: boolean
  readonly keepFiles?: boolean
  readonly fromIteration?: number
  /** The loop file and the folder, if they were moved. Absolute paths. */
  readonly file?: string
  readonly workspace?: string
  readonly by?: string
  /** That of the caller; kept in memory only. */
  readonly environment?: CallerEnvironment
}

/** Structured, redacted; `pino` behind it. */
export interface Log {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

/** What routes are made of. */
export interface DaemonParts {
  readonly host: Host
  readonly scheduler: RunStarter
  /** Shared by previews and new runs in one process. */
  readonly reads?: ReadLoops
  readonly log: Log
  readonly settings: DaemonSettings
  readonly startedAtMs: number
  /** Aborted when streams are to end, so that the daemon can. */
  readonly closing: AbortSignal
  /** False until what was under way before is queued again, and from the first word of an end. */
  isReady(): boolean
  /** Ends the daemon in good order. */
  stop(): void
}
