/**
 * The only way a run writes. Keeps the state in step with the journal.
 *
 * E1. `record` resolves when its events are on disk; callers act on them only then. The state changes
 *     immediately, so that two branches cannot reserve the same money; when a write fails, the run
 *     stops here and nothing that followed is written.
 */

import {
  type ApplyProgress,
  type BlobId,
  dueWarnings,
  evolve,
  type Json,
  LoopError,
  type RunEvent,
  type RunState,
  type TreeId,
  textOf,
} from '../loop/index.ts'
import type { Clock, Journal, Lease } from './ports.ts'

export interface Naming {
  readonly blobs?: readonly BlobId[]
  readonly trees?: readonly TreeId[]
  readonly boundary?: boolean
  /** The canonical progress of an iteration, so that it need not be computed again from the patch. */
  readonly progress?: Json
}

export interface Recorder {
  readonly state: RunState
  /** The time of the next event. Never earlier than the last event, even if the clock is set back. */
  now(): number
  record(events: readonly RunEvent[], naming?: Naming): Promise<void>
  /**
   * Records events that nothing waits for: they join the unit of the next record, or are written in the
   * next turn. No step starts before they are on disk, because units are written in order.
   */
  note(events: readonly RunEvent[], naming?: Naming): void
  /** Resolves when everything noted is on disk. */
  flushed(): Promise<void>
  /** How many units are waiting to be written. */
  readonly backlog: number
  /** Why writing has failed, if it has. */
  readonly failure: LoopError | undefined
  /** E10. Rejects with `fenced` if another owner holds the run by now. */
  requireLease(): Promise<void>
  /** Refuses all further writes, such as late results of abandoned steps. */
  close(): void
}

const none: readonly never[] = []

interface Gathered {
  readonly firstSeq: number
  readonly atMs: number
  readonly events: RunEvent[]
  boundary: RunState | undefined
  blobs: readonly BlobId[]
  trees: readonly TreeId[]
}

const knownProgress = (naming: Naming | undefined): ApplyProgress | undefined => {
  const made = naming?.progress
  return made === undefined ? undefined : () => made
}

function addNaming(unit: Gathered, naming: Naming, state: RunState): void {
  if (naming.boundary === true) unit.boundary = state
  if (naming.blobs !== undefined) unit.blobs = [...unit.blobs, ...naming.blobs]
  if (naming.trees !== undefined) unit.trees = [...unit.trees, ...naming.trees]
}

const closedMessage = 'This process no longer drives the run. Resume it to continue.'

const asFailure = (error: unknown): LoopError =>
  error instanceof LoopError
    ? error
    : new LoopError('store-failed', textOf(error), { cause: error })

/** An event in the future was written while the clock was wrong: time continues from there. */
function timeOf(clock: Clock, initial: RunState): (state: RunState) => number {
  const aheadMs = Math.max(0, initial.atMs - clock.now())
  return ({ atMs }) => Math.max(clock.now() + aheadMs, atMs)
}

const emptyUnit = (firstSeq: number, atMs: number): Gathered => ({
  firstSeq,
  atMs,
  events: [],
  boundary: undefined,
  blobs: none,
  trees: none,
})

/**
 * Adds the events to the unit, and the warnings about limits that they make due: in the same unit, so that a crash
 * neither loses nor repeats a warning.
 */
function fold(
  unit: Gathered,
  before: RunState,
  events: readonly RunEvent[],
  naming: Naming | undefined,
): RunState {
  const { atMs } = unit
  const progress = knownProgress(naming)
  let state = before
  for (const event of events) {
    state = evolve(state, { seq: state.seq + 1, atMs, event }, progress)
    unit.events.push(event)
  }
  if (state.outcome !== undefined) return state
  for (const warning of dueWarnings(before, state)) {
    state = evolve(state, { seq: state.seq + 1, atMs, event: warning })
    unit.events.push(warning)
  }
  return state
}

export function createRecorder(
  ports: { readonly journal: Journal; readonly clock: Clock },
  lease: Lease,
  initial: RunState,
  onFailure: (error: LoopError) => void,
): Recorder {
  const timeAt = timeOf(ports.clock, initial)
  let state = initial
  let failure: LoopError | undefined
  let backlog = 0
  let last: Promise<void> = Promise.resolve()
  /** Noted events that wait for a unit to share a commit with. */
  let held: Gathered | undefined

  function fail(error: unknown): never {
    if (failure === undefined) {
      failure = asFailure(error)
      onFailure(failure)
    }
    throw failure
  }

  /** Changes the state, and adds the events to the pending unit. */
  function gather(events: readonly RunEvent[], naming: Naming | undefined): Gathered {
    const atMs = timeAt(state)
    // All events of a unit have the same time.
    if (held !== undefined && held.atMs !== atMs) release()
    const unit = held ?? emptyUnit(state.seq + 1, atMs)
    held = undefined
    state = fold(unit, state, events, naming)
    if (naming !== undefined) addNaming(unit, naming, state)
    return unit
  }

  function write(unit: Gathered): Promise<void> {
    backlog++
    last = ports.journal.append(lease, { ...unit, state }).then(() => void backlog--, fail)
    return last
  }

  function release(): void {
    const unit = held
    held = undefined
    // An earlier unit was not written, so this one must not be either.
    if (unit === undefined || failure !== undefined) return
    // The next record reports the failure.
    write(unit).catch(() => undefined)
  }

  return {
    now: () => timeAt(state),
    record: (events, naming) =>
      failure === undefined ? write(gather(events, naming)) : Promise.reject(failure),
    note(events, naming) {
      if (failure !== undefined) return
      held = gather(events, naming)
      void ports.clock.turn().then(release)
    },
    flushed() {
      release()
      return last
    },
    get backlog() {
      return backlog
    },
    get state() {
      return state
    },
    get failure() {
      return failure
    },
    requireLease: () => ports.journal.renew(lease),
    close() {
      failure ??= new LoopError('wrong-status', closedMessage)
    },
  }
}
