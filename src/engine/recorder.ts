/**
 * The only way a run writes. Keeps the state in step with the journal.
 *
 * E1. `record` resolves when its events are on disk; callers act on them only then. The state moves
 *     at once, so that two branches cannot reserve the same money; when a write fails, the run stops
 *     here and nothing that followed is kept.
 */

import {
  type BlobId,
  evolve,
  LoopError,
  type RunEvent,
  type RunState,
  type TreeId,
} from '../loop/index.ts'
import type { Clock, Journal, Lease } from './ports.ts'

export interface Naming {
  readonly blobs?: readonly BlobId[]
  readonly trees?: readonly TreeId[]
  readonly boundary?: boolean
}

export interface Recorder {
  readonly state: RunState
  record(events: readonly RunEvent[], naming?: Naming): Promise<void>
  /**
   * Records what nothing waits for: it shares the commit of what comes next, and no step starts
   * before it is on disk, because units are written in order.
   */
  note(events: readonly RunEvent[], naming?: Naming): void
  /** Resolves when all that was noted is on disk. */
  flushed(): Promise<void>
  /** How many units wait to be written. */
  readonly backlog: number
  /** Why nothing can be written any more, if so. */
  readonly failure: LoopError | undefined
  /** Refuses everything from now on: late results of steps that were given up. */
  close(): void
}

const none: readonly never[] = []

export function createRecorder(
  ports: { readonly journal: Journal; readonly clock: Clock },
  lease: Lease,
  initial: RunState,
  onFailure: (error: LoopError) => void,
): Recorder {
  let state = initial
  let failure: LoopError | undefined
  let backlog = 0
  let last: Promise<void> = Promise.resolve()

  function fail(error: unknown): never {
    if (failure === undefined) {
      failure =
        error instanceof LoopError
          ? error
          : new LoopError('store-failed', String(error), { cause: error })
      onFailure(failure)
    }
    throw failure
  }

  function record(events: readonly RunEvent[], naming?: Naming): Promise<void> {
    if (failure !== undefined) return Promise.reject(failure)
    const firstSeq = state.seq + 1
    const atMs = Math.max(ports.clock.now(), state.atMs)
    let seq = firstSeq
    for (const event of events) state = evolve(state, { seq: seq++, atMs, event })
    backlog++
    last = ports.journal
      .append(lease, {
        firstSeq,
        atMs,
        events,
        state,
        boundary: naming?.boundary ?? false,
        blobs: naming?.blobs ?? none,
        trees: naming?.trees ?? none,
      })
      .then(() => {
        backlog--
      }, fail)
    return last
  }

  return {
    record,
    note(events, naming) {
      // A failure is kept, and reported by whatever is recorded next.
      record(events, naming).catch(() => undefined)
    },
    flushed: () => last,
    get backlog() {
      return backlog
    },
    get state() {
      return state
    },
    get failure() {
      return failure
    },
    close() {
      failure ??= new LoopError('wrong-status', 'The run is no longer driven here.')
    },
  }
}
