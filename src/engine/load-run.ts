/** Reads a run from the journal: the last snapshot and the events after it, or the state at a checkpoint. */

import {
  adoptJson,
  applyPatchInPlace,
  evolve,
  initialState,
  LoopError,
  type RecordedEvent,
  type RunCreated,
  type RunId,
  type RunState,
  readState,
  type TreeId,
} from '../loop/index.ts'
import type { Journal } from './ports.ts'

const pageSize = 1000

export interface LoadedRun {
  readonly state: RunState
  readonly created: RunCreated
  /** Events of the open iteration, from its start. */
  readonly openEvents: readonly RecordedEvent[]
}

export async function loadRun(journal: Journal, run: RunId): Promise<LoadedRun> {
  const created = await readCreated(journal, run)
  const snapshot = await journal.snapshot(run)
  let state: RunState = snapshot === undefined ? initialState : readState(snapshot)
  let open: RecordedEvent[] = []
  for await (const recorded of eventsAfter(journal, run, state.seq)) {
    state = evolve(state, recorded, applyPatchInPlace)
    // The steps of earlier iterations are not needed.
    if (state.open === undefined) open = []
    else if (recorded.event.type === 'iteration-started' && recorded.event.again !== true) {
      open = [recorded]
    } else if (recorded.event.type !== 'step-noted') open.push(recorded)
  }
  return { state: adopt(state), created, openEvents: open }
}

/** The state right after an iteration that counted. */
export async function stateAt(journal: Journal, run: RunId, iteration: number): Promise<RunState> {
  const { state, checkpoint } = await foldToCheckpoint(journal, run, iteration)
  if (state.iteration !== checkpoint) throw await unknownCheckpoint(journal, run, iteration)
  return state
}

async function foldToCheckpoint(
  journal: Journal,
  run: RunId,
  iteration: number,
): Promise<{ state: RunState; checkpoint: number }> {
  const created = await readCreated(journal, run)
  const first = created.iteration ?? 0
  const known = await journal.checkpoints(run)
  const found = known.find((checkpoint) => checkpoint.iteration === iteration)
  if (found === undefined && iteration !== first) {
    throw await unknownCheckpoint(journal, run, iteration)
  }
  const toSeq = found?.seq ?? 1
  const snapshot = await journal.snapshot(run)
  const isUseful = snapshot !== undefined && snapshot.seq <= toSeq
  let state: RunState = isUseful ? readState(snapshot) : initialState
  for await (const recorded of eventsAfter(journal, run, state.seq, toSeq)) {
    state = evolve(state, recorded, applyPatchInPlace)
  }
  const tree = found === undefined ? await firstTree(journal, run) : undefined
  if (state.tree === undefined && tree !== undefined) state = { ...state, tree }
  return { state: adopt(state), checkpoint: iteration }
}

/** Before its first iteration a run has not read its files; they are those that iteration found. */
async function firstTree(journal: Journal, run: RunId): Promise<TreeId | undefined> {
  for await (const { event } of eventsAfter(journal, run, 1)) {
    if (event.type === 'iteration-started') return event.tree
  }
  return undefined
}

export async function* eventsAfter(
  journal: Journal,
  run: RunId,
  afterSeq: number,
  toSeq: number = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<RecordedEvent> {
  let after = afterSeq
  while (after < toSeq) {
    const page = await journal.read(run, { afterSeq: after, toSeq, limit: pageSize })
    const last = page.at(-1)
    if (last === undefined) return
    after = last.seq
    yield* page
    if (page.length < pageSize) return
  }
}

export async function readCreated(journal: Journal, run: RunId): Promise<RunCreated> {
  const [first] = await journal.read(run, { afterSeq: 0, limit: 1 })
  if (first?.event.type === 'run-created') return first.event
  throw new LoopError(
    'store-damaged',
    `The first event of run ${run} is not its creation. Restore the state folder from a backup.`,
  )
}

/** Progress was built from rows that only this function references. */
function adopt(state: RunState): RunState {
  return state.progress === undefined ? state : { ...state, progress: adoptJson(state.progress) }
}

async function unknownCheckpoint(
  journal: Journal,
  run: RunId,
  iteration: number,
): Promise<LoopError> {
  const { name } = await journal.findRun(run)
  const message = `Run "${name}" has no checkpoint after iteration ${iteration}.`
  return new LoopError(
    'unknown-checkpoint',
    `${message} List its checkpoints: loopctl inspect ${name}`,
  )
}
