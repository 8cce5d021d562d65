/** What the parts of the daemon see of each other. */

import type { RunRow } from '../engine/index.ts'
import type { Host } from '../host/host.ts'
import type { ReadLoops } from '../launch/read-loops.ts'
import type { ScheduledStart } from '../launch/start/create-run.ts'
import type { RunId } from '../loop/index.ts'
import type {
  CallerEnvironment,
  DashboardLink,
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
  /** 0: any free port. */
  readonly port: number
  /** The user did not choose the port: if it is taken, use any other. */
  readonly orAnyPort?: boolean
  /** Files in PEM. Without them it listens on this machine only. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Other host names that clients use, with TLS. */
  readonly publicNames?: readonly string[]
  readonly maxConcurrentRuns: number
  readonly maxRunsPerWorkspace: number
  readonly queuePolicy: QueuePolicy
}

/** What a token allows. */
export type Scope = 'read' | 'write'

/** What a request may do. `hook`: it has no token, and may only be a signed request to `/hooks/{schedule}`. */
export type RequestScope = Scope | 'hook'

/** Starts runs, in a daemon or in this process. What it accepted is on disk before it answers (E10). */
export interface RunStarter {
  /**
   * Creates a run and queues it. With a key that was used before: the run of that time, if the request
   * was the same; rejects with `key-reused` if it was another.
   */
  submit(
    request: NewRunRequest,
    idempotencyKey?: string,
    scheduled?: ScheduledStart,
  ): Promise<Submitted>
  /** Resumes a run that was paused, suspended or interrupted. */
  enqueue(run: RunId, options?: EnqueueOptions): Promise<void>
  /** Creates a new run that retries one that has ended. */
  retry(run: RunId, request?: RetryRequest): Promise<Submitted>
  /** Creates a new run that continues from a checkpoint of another. */
  fork(run: RunId, request: ForkRequest): Promise<Submitted>
  /** Whether this scheduler or another process drives it now. */
  isDriven(run: RunRow): boolean
  /** Removes it from the queue. If it is driven, suspends it first. */
  release(run: RunId): Promise<void>
  /** The queue: running runs first, then by position. */
  queue(): readonly QueueEntry[] | Promise<readonly QueueEntry[]>
  entry(run: RunId): QueueEntry | undefined
  /**
   * Lets running runs finish their step, within the grace time or until the shutdown must not wait; the
   * queue stays on disk.
   */
  drain(hurry?: AbortSignal): Promise<void>
}

export interface Submitted {
  readonly run: RunRow
  /** False: a run with this key existed. */
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

/** What routes ask of the driver of schedules. */
export interface DrivenSchedules {
  /** They were changed: something may be due. */
  wake(): void
  /** Handles what is due of one schedule now. */
  handle(id: string): Promise<void>
}

/** What routes are made of. */
export interface DaemonParts {
  readonly host: Host
  readonly scheduler: RunStarter
  /** Shared by previews and new runs in one process. */
  readonly reads?: ReadLoops
  /** Drives schedules. Absent: this process only changes them. */
  readonly schedules?: DrivenSchedules
  readonly log: Log
  readonly settings: DaemonSettings
  readonly startedAtMs: number
  /** Absent: this process serves no dashboard. */
  readonly dashboard?: { createLink(token: string): DashboardLink }
  /** Aborted when streams must end for the shutdown. */
  readonly closing: AbortSignal
  /** False until earlier runs are queued again, and during shutdown. */
  isReady(): boolean
  /** Shuts the daemon down. */
  stop(): void
}
