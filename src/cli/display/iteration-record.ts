/**
 * Derives one iteration from the events: its steps, what it spent, how it ended. Pure; large results stay
 * where they are stored.
 *
 * A continued iteration keeps the steps it had. One that was restarted, or repeated after the run went back
 * to a checkpoint, replaces the earlier one of the same number.
 */

import {
  type BlobId,
  defined,
  describeEvent,
  type Ending,
  type ExchangeNote,
  evolve,
  type Fault,
  initialState,
  type Metrics,
  parseStepKind,
  type RecordedEvent,
  type RunEvent,
  type RunState,
  readStep,
  type StepId,
  type StepKind,
  type Stored,
  type TreeId,
} from '../../loop/index.ts'

export interface StepRecord {
  readonly step: StepId
  readonly kind: StepKind
  readonly role: string | undefined
  readonly attempts: number
  readonly state: 'under-way' | 'done' | 'failed' | 'interrupted'
  readonly startedAtMs: number
  readonly tookMs?: number
  readonly result?: Stored
  /** Present if the step was a check. */
  readonly check?: string
  readonly fault?: Fault
}

export interface IterationRecord {
  readonly iteration: number
  /** More than one after interruptions. */
  readonly entered: number
  readonly startedAtMs: number
  readonly endedAtMs?: number
  readonly ending?: Ending
  /** The run has since gone back to before it. */
  readonly undone: boolean
  readonly spent: RunState['spent']
  readonly tools: Metrics['tools']
  readonly before?: TreeId
  readonly after?: TreeId
  /** Other events, a line each. */
  readonly remarks: readonly string[]
  readonly steps: readonly StepRecord[]
  /** What was sent to agents, where more than the task's prompt was: the last blob of each step. */
  readonly sent: Readonly<Record<string, BlobId>>
  /** With models, in the order in which they ended. */
  readonly exchanges: readonly ExchangeRecord[]
}

export interface ExchangeRecord extends Omit<ExchangeNote, 'type'> {
  readonly step: StepId
}

export interface IterationReader {
  add(recorded: RecordedEvent): void
  /** Undefined: no such iteration, or none with a step. */
  found(): IterationRecord | undefined
}

type Draft = Omit<IterationRecord, 'steps' | 'exchanges'> & {
  readonly steps: Map<string, StepRecord>
  readonly exchanges: ExchangeRecord[]
}

const remarksMax = 50

/** Reads the iteration of this number, or the last one with a step. */
export function createIterationReader(wanted?: number): IterationReader {
  let state: RunState = initialState
  let current: Draft | undefined
  let found: Draft | undefined
  return {
    add(recorded) {
      const { event, atMs } = recorded
      state = evolve(state, recorded, () => null)
      if (event.type === 'iteration-started' && !isSame(current, event)) {
        // Counted from here on for this iteration.
        const { spent, metrics } = initialState
        state = { ...state, spent, metrics }
        current = begun(event.iteration, atMs)
      } else if (event.type === 'run-rewound') {
        if (found !== undefined && found.iteration > event.toIteration) {
          found = { ...found, undone: true }
        }
        current = undefined
      } else if (current !== undefined) current = applied(current, event, atMs)
      if (current === undefined) return
      current = withTotals(current, state)
      if (wanted === undefined ? current.steps.size > 0 : current.iteration === wanted) {
        found = current
      }
    },
    found() {
      if (found === undefined) return undefined
      return { ...found, steps: [...found.steps.values()] }
    },
  }
}

const isSame = (
  current: Draft | undefined,
  { again, iteration }: Extract<RunEvent, { type: 'iteration-started' }>,
): boolean => again === true && current?.iteration === iteration

const begun = (iteration: number, atMs: number): Draft => ({
  iteration,
  entered: 1,
  startedAtMs: atMs,
  undone: false,
  spent: initialState.spent,
  tools: {},
  remarks: [],
  steps: new Map(),
  sent: {},
  exchanges: [],
})

function withTotals(draft: Draft, state: RunState): Draft {
  const { spent, metrics, tree, treeAtIterationStart: before } = state
  return {
    ...draft,
    spent,
    tools: metrics.tools,
    ...defined({ before, after: tree }),
  }
}

function applied(draft: Draft, event: RunEvent, atMs: number): Draft {
  switch (event.type) {
    case 'iteration-started': {
      const { ending: _ending, endedAtMs: _endedAtMs, ...open } = draft
      return { ...open, entered: draft.entered + 1 }
    }
    case 'iteration-restarted':
      return remark({ ...draft, steps: new Map(), sent: {} }, event)
    case 'iteration-ended':
      return { ...draft, ending: event.ending, endedAtMs: atMs }
    case 'step-started':
    case 'step-finished':
    case 'step-failed':
    case 'step-interrupted': {
      const before = draft.steps.get(event.step)
      const step = stepAfter(before ?? firstSeen(event, atMs), event, atMs)
      // In place: there may be thousands.
      draft.steps.set(event.step, step)
      return draft
    }
    case 'step-noted': {
      const { step, note } = event
      if (note.type === 'exchanged') {
        const { type: _type, ...exchange } = note
        // In place, as above.
        draft.exchanges.push({ step, ...exchange })
        return draft
      }
      if (note.type === 'prompted' && parseStepKind(step) === 'agent')
        return { ...draft, sent: { ...draft.sent, [step]: note.blob } }
      const isRemark = ['context-cut', 'nudged', 'waiting'].includes(note.type)
      return isRemark ? remark(draft, event) : draft
    }
    case 'warning':
    case 'workspace-changed':
    case 'decision-applied':
    case 'guidance-delivered':
      return remark(draft, event)
    default:
      return draft
  }
}

function remark(draft: Draft, event: RunEvent): Draft {
  if (draft.ending !== undefined || draft.remarks.length >= remarksMax) return draft
  return { ...draft, remarks: [...draft.remarks, describeEvent(event)] }
}

const firstSeen = (event: StepEvent, atMs: number): StepRecord => ({
  step: event.step,
  ...readStep(event),
  attempts: 1,
  state: 'under-way',
  startedAtMs: atMs,
})

type StepEvent = Extract<
  RunEvent,
  { type: 'step-started' | 'step-finished' | 'step-failed' | 'step-interrupted' }
>

function stepAfter(before: StepRecord, event: StepEvent, atMs: number): StepRecord {
  const { attempt: attempts } = event
  const tookMs = Math.max(0, atMs - before.startedAtMs)
  switch (event.type) {
    case 'step-started': {
      const { step, kind, role } = before
      return { step, kind, role, attempts, state: 'under-way', startedAtMs: atMs }
    }
    case 'step-finished': {
      const { result, evidence } = event
      return {
        ...before,
        attempts,
        tookMs,
        state: 'done',
        ...defined({ result }),
        ...(evidence === undefined ? {} : { check: evidence.check }),
      }
    }
    case 'step-failed':
      return { ...before, attempts, tookMs, state: 'failed', fault: event.fault }
    case 'step-interrupted':
      return { ...before, attempts, tookMs, state: 'interrupted' }
  }
}
