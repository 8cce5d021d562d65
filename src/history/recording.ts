/**
 * What the journal has of a run that is to be done again: of each iteration that counts its steps, of
 * each step how its last attempt ended and what a model was asked and answered in it.
 *
 * What was undone is left out: iterations that the run went back over, steps of an iteration that began
 * anew, attempts that were followed by another.
 */

import { eventsAfter, type RunRow } from '../engine/index.ts'
import {
  type Amount,
  applyPatchInPlace,
  type CheckStatus,
  committed,
  type Ending,
  type ExchangeNote,
  evolve,
  type Fault,
  initialState,
  LoopError,
  type RunCreated,
  type RunEvent,
  type RunState,
  readStep,
  type StepId,
  type StepKind,
  type Stored,
  type TreeId,
} from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'

export interface Recording {
  readonly run: RunRow
  readonly created: RunCreated
  /** As the last event left it. */
  readonly state: RunState
  /** The first iteration in which somebody else changed files, if there is one. */
  readonly changedIn: number | undefined
  /** By number, in the order in which they began. */
  readonly iterations: ReadonlyMap<number, RecordedIteration>
}

export interface RecordedIteration {
  readonly iteration: number
  /** The files that it began with, and left. */
  readonly treeBefore: TreeId | undefined
  readonly treeAfter: TreeId | undefined
  /** In the order in which they began. */
  readonly steps: ReadonlyMap<StepId, RecordedStep>
  /** Absent: it never came to an end that counts. */
  readonly ending: Ending | undefined
}

export interface RecordedStep {
  readonly step: StepId
  readonly kind: StepKind
  readonly attempt: number
  /** What the run had spent or reserved when the last attempt began. */
  readonly committedBefore: Amount
  /** Of the last attempt, by ordinal. */
  readonly exchanges: readonly ExchangeNote[]
  /** Absent: it never came to its end. */
  readonly end: StepEnd | undefined
}

export type StepEnd =
  | {
      readonly type: 'finished'
      readonly result: Stored | undefined
      readonly tree: TreeId | undefined
      readonly check: CheckStatus | undefined
    }
  | { readonly type: 'failed'; readonly fault: Fault }

interface OpenStep extends RecordedStep {
  exchanges: ExchangeNote[]
  end: StepEnd | undefined
}

interface OpenIteration extends RecordedIteration {
  treeAfter: TreeId | undefined
  readonly steps: Map<StepId, OpenStep>
  ending: Ending | undefined
}

export async function readRecording(
  { journal }: Pick<HostPorts, 'journal'>,
  idOrName: string,
): Promise<Recording> {
  const run = await journal.findRun(idOrName)
  const iterations = new Map<number, OpenIteration>()
  let created: RunCreated | undefined
  let state: RunState = initialState
  let changedIn: number | undefined
  for await (const recorded of eventsAfter(journal, run.id, 0)) {
    const { event } = recorded
    if (event.type === 'run-created') created = event
    const before = committed(state)
    state = evolve(state, recorded, applyPatchInPlace)
    note(iterations, event, before, state)
    if (event.type === 'workspace-changed' && event.why === 'changed-outside') {
      changedIn ??= state.open?.iteration ?? state.iteration + 1
    }
    // Gone over: what was changed since is not there any more.
    if (event.type === 'run-rewound' && (changedIn ?? 0) > event.toIteration) changedIn = undefined
  }
  if (created === undefined) {
    throw new LoopError('store-damaged', `Run ${run.id} does not begin with its creation.`)
  }
  return { run, created, state, changedIn, iterations }
}

function note(
  iterations: Map<number, OpenIteration>,
  event: RunEvent,
  committedBefore: Amount,
  { tree }: RunState,
): void {
  switch (event.type) {
    case 'iteration-started': {
      if (event.again === true) return
      const { iteration } = event
      // Map keeps the place of a key that is set again.
      iterations.delete(iteration)
      iterations.set(iteration, {
        iteration,
        treeBefore: event.tree,
        treeAfter: undefined,
        steps: new Map(),
        ending: undefined,
      })
      return
    }
    case 'iteration-restarted':
      iterations.get(event.iteration)?.steps.clear()
      return
    case 'iteration-ended': {
      const { ending } = event
      if (ending.type === 'rate-limited' || ending.type === 'interrupted') return
      const ended = iterations.get(event.iteration)
      if (ended !== undefined) Object.assign(ended, { ending, treeAfter: tree })
      return
    }
    case 'run-rewound':
      for (const number of iterations.keys()) {
        if (number > event.toIteration) iterations.delete(number)
      }
      return
    default:
      noteStep(iterations, event, committedBefore)
  }
}

function noteStep(
  iterations: ReadonlyMap<number, OpenIteration>,
  event: RunEvent,
  committedBefore: Amount,
): void {
  if (!('step' in event)) return
  const steps = iterations.get(event.iteration)?.steps
  if (steps === undefined) return
  const { step } = event
  switch (event.type) {
    case 'step-started': {
      const { attempt } = event
      const { kind } = readStep(event)
      steps.set(step, { step, kind, attempt, committedBefore, exchanges: [], end: undefined })
      return
    }
    case 'step-finished': {
      const { result, tree, evidence } = event
      end(steps, step, { type: 'finished', result, tree, check: evidence?.status })
      return
    }
    case 'step-failed':
      // One that is tried again, at once or when a window opens, has not ended.
      if (event.retryAtMs !== undefined || event.fault.code === 'rate-limited') return
      end(steps, step, { type: 'failed', fault: event.fault })
      return
    case 'step-noted': {
      const found = steps.get(step)
      if (event.note.type === 'exchanged' && event.note.attempt === found?.attempt) {
        found.exchanges.push(event.note)
      }
      return
    }
    default:
  }
}

function end(steps: Map<StepId, OpenStep>, step: StepId, how: StepEnd): void {
  const found = steps.get(step)
  if (found !== undefined) found.end = how
}

/** The number of the iteration before the first. */
export const firstOf = ({ created }: Recording): number => created.iteration ?? 0

export const lastOf = ({ iterations, created }: Recording): number =>
  Math.max(created.iteration ?? 0, ...iterations.keys())

export const stepOf = (
  { iterations }: Recording,
  iteration: number,
  step: string,
): RecordedStep | undefined => iterations.get(iteration)?.steps.get(step as StepId)

/** Exchanges of all steps; those that were refused because they are not on record do not count. */
export function countExchanges({ iterations }: Recording): number {
  let count = 0
  for (const { steps } of iterations.values()) {
    for (const { exchanges } of steps.values()) {
      count += exchanges.filter(({ ended }) => ended !== 'diverged').length
    }
  }
  return count
}
