/**
 * Reads what a replay needs from the journal: the steps of each iteration that counts, how the last attempt
 * of each step ended, and its exchanges with models.
 *
 * Leaves out what was undone: iterations that the run rewound, steps of an iteration that restarted, and
 * attempts that were retried.
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
  /** After the last event. */
  readonly state: RunState
  /** The first iteration in which files were changed from outside, if any. */
  readonly changedInIteration: number | undefined
  /** By number, in order of their start. */
  readonly iterations: ReadonlyMap<number, RecordedIteration>
}

export interface RecordedIteration {
  readonly iteration: number
  readonly treeBefore: TreeId | undefined
  readonly treeAfter: TreeId | undefined
  /** In order of their start. */
  readonly steps: ReadonlyMap<StepId, RecordedStep>
  /** Absent: it has no end that counts. */
  readonly ending: Ending | undefined
}

export interface RecordedStep {
  readonly step: StepId
  readonly kind: StepKind
  readonly attempt: number
  /** What the run had spent or reserved when the last attempt started. */
  readonly committedBefore: Amount
  /** Of the last attempt, by ordinal. */
  readonly exchanges: readonly ExchangeNote[]
  /** Absent: it never ended. */
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
  let changedInIteration: number | undefined
  for await (const recorded of eventsAfter(journal, run.id, 0)) {
    const { event } = recorded
    if (event.type === 'run-created') created = event
    const before = committed(state)
    state = evolve(state, recorded, applyPatchInPlace)
    addEvent(iterations, event, before, state)
    if (event.type === 'workspace-changed' && event.why === 'changed-outside') {
      changedInIteration ??= state.open?.iteration ?? state.iteration + 1
    }
    // The rewind also undid the change from outside.
    if (event.type === 'run-rewound' && (changedInIteration ?? 0) > event.toIteration)
      changedInIteration = undefined
  }
  if (created === undefined) {
    throw new LoopError(
      'store-damaged',
      `The journal of run ${run.id} does not start with run-created. Restore the state folder from a backup.`,
    )
  }
  return { run, created, state, changedInIteration, iterations }
}

function addEvent(
  iterations: Map<number, OpenIteration>,
  event: RunEvent,
  committedBefore: Amount,
  { tree }: RunState,
): void {
  switch (event.type) {
    case 'iteration-started': {
      if (event.again === true) return
      const { iteration } = event
      // Deleted first, because a Map keeps the position of a key that is set again.
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
      addStepEvent(iterations, event, committedBefore)
  }
}

function addStepEvent(
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
      setEnd(steps, step, { type: 'finished', result, tree, check: evidence?.status })
      return
    }
    case 'step-failed':
      // A step that is retried, at once or after a rate limit, has not ended.
      if (event.retryAtMs !== undefined || event.fault.code === 'rate-limited') return
      setEnd(steps, step, { type: 'failed', fault: event.fault })
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

function setEnd(steps: Map<StepId, OpenStep>, step: StepId, how: StepEnd): void {
  const found = steps.get(step)
  if (found !== undefined) found.end = how
}

/** The number of the iteration before the first. */
export const iterationBefore = ({ created }: Recording): number => created.iteration ?? 0

export const lastIteration = ({ iterations, created }: Recording): number =>
  Math.max(created.iteration ?? 0, ...iterations.keys())

export const findStep = (
  { iterations }: Recording,
  iteration: number,
  step: string,
): RecordedStep | undefined => iterations.get(iteration)?.steps.get(step as StepId)

/** Counts the exchanges of all steps, except those that a replay refused. */
export function countExchanges({ iterations }: Recording): number {
  let count = 0
  for (const { steps } of iterations.values()) {
    for (const { exchanges } of steps.values()) {
      count += exchanges.filter(({ ended }) => ended !== 'diverged').length
    }
  }
  return count
}
