/**
 * What must hold for the events of one run, whatever happened to the processes that wrote them. Reads
 * them one by one, as they become durable, and says what is wrong.
 */

import {
  decide,
  evolve,
  initialState,
  type Json,
  type RecordedEvent,
  type RunEvent,
  type RunState,
  type StepFailed,
  type StepFinished,
  type StepStarted,
  transitions,
} from '../loop/index.ts'
import { createLedgerModel } from './ledger-model.ts'

/** One time around, from its start to its end, however many processes it took. */
export interface Trip {
  readonly iteration: number
  /** How often the run was taken back or made to start anew before it. */
  readonly epoch: number
  readonly previous: Json | undefined
  readonly starts: Map<string, StepStarted[]>
  readonly completions: Map<string, Completion>
  ended: Extract<RunEvent, { type: 'iteration-ended' }> | undefined
  /** Progress after its end. */
  progress: Json | undefined
}

export interface Completion {
  readonly seq: number
  readonly event: StepFinished | StepFailed
}

export interface LogModel {
  readonly state: RunState
  readonly events: readonly RecordedEvent[]
  readonly trips: readonly Trip[]
  readonly epoch: number
  /** The iteration under way. */
  readonly open: Trip | undefined
  /** Ids of decisions that have their event. */
  readonly applied: ReadonlySet<number>
  add(recorded: RecordedEvent): void
}

export function createLogModel(violate: (reason: string) => void): LogModel {
  const events: RecordedEvent[] = []
  const trips: Trip[] = []
  const applied = new Set<number>()
  const ledger = createLedgerModel()
  let state = initialState
  let epoch = 0
  let lastDecision = 0

  function newTrip(iteration: number): void {
    trips.push({
      iteration,
      epoch,
      previous: state.progress,
      starts: new Map(),
      completions: new Map(),
      ended: undefined,
      progress: undefined,
    })
  }

  function take(event: RunEvent, seq: number, before: RunState): void {
    const trip = trips.at(-1)
    switch (event.type) {
      case 'iteration-started':
        if (event.again !== true) newTrip(event.iteration)
        break
      case 'iteration-restarted':
        epoch++
        newTrip(event.iteration)
        break
      case 'run-rewound':
        epoch++
        break
      case 'step-started':
      case 'step-finished':
      case 'step-failed':
        if (trip !== undefined) violateIf(stepProblem(trip, event, seq))
        break
      case 'iteration-ended':
        if (state.open !== undefined || trip === undefined) break
        trip.ended = event
        trip.progress = state.progress
        break
      case 'decision-applied':
        if (applied.has(event.id)) violate(`E11: decision ${event.id} was applied twice`)
        applied.add(event.id)
        if (event.decision.type === 'answer') break
        if (event.id < lastDecision) violate(`E11: decision ${event.id} was applied out of order`)
        lastDecision = event.id
        break
      case 'run-ended':
        violateIf(endProblem(before, event, state.atMs))
        break
      default:
        break
    }
  }

  function violateIf(problem: string | undefined): void {
    if (problem !== undefined) violate(problem)
  }

  return {
    get state() {
      return state
    },
    events,
    trips,
    get epoch() {
      return epoch
    },
    get open() {
      const trip = trips.at(-1)
      return trip?.ended === undefined && state.open !== undefined ? trip : undefined
    },
    applied,
    add(recorded) {
      const { seq, event } = recorded
      const before = state
      violateIf(placeProblem(events.at(-1), recorded))
      violateIf(orderProblem(before, event))
      state = evolve(state, recorded)
      events.push(recorded)
      if (state.status !== before.status && !transitions[before.status].includes(state.status)) {
        violate(`${before.status} became ${state.status} by event ${seq} (${event.type})`)
      }
      violateIf(ledger.add(event, state))
      take(event, seq, before)
    },
  }
}

function placeProblem(last: RecordedEvent | undefined, next: RecordedEvent): string | undefined {
  if (next.seq !== (last?.seq ?? 0) + 1) return `E1: event ${next.seq} follows ${last?.seq ?? 0}`
  if (last !== undefined && next.position <= last.position) return 'E1: the position does not grow'
  if (last !== undefined && next.atMs < last.atMs)
    return `event ${next.seq} is older than ${last.seq}`
  return undefined
}

/** What may not happen in this state at all. */
function orderProblem(state: RunState, event: RunEvent): string | undefined {
  if (state.outcome !== undefined) return `${event.type} comes after the end of the run`
  switch (event.type) {
    case 'iteration-started': {
      if (event.again === true) {
        return state.open?.iteration === event.iteration ? undefined : 'entered another iteration'
      }
      if (state.stop !== undefined) return 'an iteration was started after a stop'
      if (state.pauseRequested) return 'an iteration was started in a pause'
      if (state.open !== undefined) return 'an iteration was started inside another'
      return event.iteration === state.iteration + 1 ? undefined : 'an iteration was left out'
    }
    case 'step-started':
    case 'step-finished':
    case 'step-failed':
    case 'step-interrupted':
    case 'iteration-ended':
      if (state.open?.iteration === event.iteration) return undefined
      return `${event.type} belongs to iteration ${event.iteration}, which is not open`
    case 'run-ended':
      if (state.cancel !== undefined && event.outcome.type !== 'cancelled') {
        return `a cancelled run ended as ${event.outcome.type}`
      }
      return undefined
    default:
      return undefined
  }
}

function stepProblem(
  trip: Trip,
  event: StepStarted | StepFinished | StepFailed,
  seq: number,
): string | undefined {
  const { step, attempt } = event
  const starts = trip.starts.get(step) ?? []
  if (trip.completions.has(step)) return `E2: ${event.type} of "${step}", which has its result`
  if (event.type === 'step-started') {
    trip.starts.set(step, [...starts, event])
    const due = starts.length + 1
    return attempt === due ? undefined : `"${step}" started attempt ${attempt}, not ${due}`
  }
  if (starts.at(-1)?.attempt !== attempt) return `"${step}" ended attempt ${attempt} out of turn`
  const isAgain =
    event.type === 'step-failed' &&
    (event.retryAtMs !== undefined || event.fault.code === 'rate-limited')
  if (!isAgain) trip.completions.set(step, { seq, event })
  return undefined
}

function endProblem(
  before: RunState,
  event: Extract<RunEvent, { type: 'run-ended' }>,
  atMs: number,
): string | undefined {
  const { outcome } = event
  // A hook may refuse a run before anything is decided.
  if (outcome.type === 'failed' && outcome.fault.code === 'refused') return undefined
  const command = decide(before, atMs)
  if (command.type === 'finish' && JSON.stringify(command.outcome) === JSON.stringify(outcome)) {
    return undefined
  }
  return `it ended as ${JSON.stringify(outcome)}, and decide says ${JSON.stringify(command)}`
}
