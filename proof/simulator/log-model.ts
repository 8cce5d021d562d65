/**
 * What must hold for the events of one run, whatever happened to the processes that wrote them. Reads
 * them one by one, as they become durable, and says what is wrong.
 */

import {
  evolve,
  initialState,
  type Json,
  type RecordedEvent,
  type RunEvent,
  type RunState,
  type StepFailed,
  type StepFinished,
  type StepStarted,
} from '#src/loop/index.ts'
import { createLedgerModel } from './ledger-model.ts'
import {
  certifiedProblem,
  endProblem,
  movesProblem,
  orderProblem,
  placeProblem,
} from './log-rules.ts'

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
  /** How long it worked: without waits, and without the time after a crash. */
  activeMs: number
  /** The limit of that time when it ended. */
  limitMs: number | undefined
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
  const trips = createTrips()
  const decisions = createDecisionModel()
  const ledger = createLedgerModel()
  let state: RunState = initialState

  return {
    get state() {
      return state
    },
    events,
    trips: trips.all,
    get epoch() {
      return trips.epoch
    },
    get open() {
      const trip = trips.all.at(-1)
      return trip?.ended === undefined && state.open !== undefined ? trip : undefined
    },
    applied: decisions.applied,
    add(recorded) {
      const before = state
      const last = events.at(-1)
      state = evolve(state, recorded)
      events.push(recorded)
      const { event } = recorded
      const problems = [
        placeProblem(last, recorded),
        orderProblem(before, event),
        movesProblem(before, state, event),
        ledger.add(event, state),
        decisions.add(event),
        endProblem(before, event, state.atMs),
        certifiedProblem(events),
        trips.add(recorded, state),
      ]
      for (const problem of problems) if (problem !== undefined) violate(problem)
    },
  }
}

interface Trips {
  readonly all: readonly Trip[]
  readonly epoch: number
  add(recorded: RecordedEvent, after: RunState): string | undefined
}

function createTrips(): Trips {
  const all: Trip[] = []
  let epoch = 0
  /** Of the last event. */
  let last = { atMs: 0, isRunning: false }

  /** Adds the time since the last event to the iteration under way. */
  function pass({ event, atMs }: RecordedEvent, after: RunState): void {
    const trip = all.at(-1)
    const wasTaken = event.type === 'run-started' || event.type === 'run-rewound'
    const hasWorked = last.isRunning && !wasTaken
    if (trip !== undefined && trip.ended === undefined && hasWorked)
      trip.activeMs += Math.max(0, atMs - last.atMs)
    last = { atMs, isRunning: after.status === 'running' }
  }

  function begin(iteration: number, { progress }: RunState): void {
    const steps = { starts: new Map(), completions: new Map() }
    all.push({
      iteration,
      epoch,
      previous: progress,
      ...steps,
      ended: undefined,
      progress: undefined,
      activeMs: 0,
      limitMs: undefined,
    })
  }

  return {
    all,
    get epoch() {
      return epoch
    },
    add(recorded, after) {
      const { event, seq } = recorded
      pass(recorded, after)
      const trip = all.at(-1)
      switch (event.type) {
        case 'iteration-started':
          if (event.again !== true) begin(event.iteration, after)
          return undefined
        case 'iteration-restarted':
          epoch++
          begin(event.iteration, after)
          return undefined
        case 'run-rewound':
          epoch++
          return undefined
        case 'step-started':
        case 'step-finished':
        case 'step-failed':
          if (trip === undefined) return 'a step without an iteration'
          return startProblem(trip, event, after) ?? addStep(trip, event, seq)
        case 'iteration-ended':
          if (after.open !== undefined || trip === undefined) return undefined
          trip.ended = event
          trip.progress = after.progress
          trip.limitMs = after.limits.iteration?.timeMs
          return undefined
        default:
          return undefined
      }
    },
  }
}

/** How late the engine may notice that a run no longer waits, and that its time goes on. */
const noticeMs = 1000

/** E9. No step starts once the time of its iteration is over. */
function startProblem(
  { activeMs }: Trip,
  event: StepStarted | StepFinished | StepFailed,
  { limits }: RunState,
): string | undefined {
  const limitMs = limits.iteration?.timeMs
  if (event.type !== 'step-started' || limitMs === undefined) return undefined
  if (activeMs <= limitMs + noticeMs) return undefined
  return `E9: "${event.step}" started after ${activeMs} ms of an iteration that may take ${limitMs}`
}

function addStep(
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

/** E11. Each is applied once, and those that are not answers in the order in which they were made. */
function createDecisionModel(): {
  readonly applied: ReadonlySet<number>
  add(event: RunEvent): string | undefined
} {
  const applied = new Set<number>()
  let last = 0
  return {
    applied,
    add(event) {
      if (event.type !== 'decision-applied') return undefined
      const { id, decision } = event
      if (applied.has(id)) return `E11: decision ${id} was applied twice`
      applied.add(id)
      if (decision.type === 'answer') return undefined
      if (id < last) return `E11: decision ${id} was applied out of order`
      last = id
      return undefined
    },
  }
}
