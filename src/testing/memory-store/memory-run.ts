/** A run in memory. What follows from its events is computed from them on each read. */

import type { Checkpoint, NewQueueRow, NewRun, RunFact } from '../../engine/index.ts'
import {
  type EventType,
  evolve,
  initialState,
  type Question,
  type RecordedEvent,
  type RunEvent,
  type RunId,
  type RunStatus,
  type StoredDecision,
} from '../../loop/index.ts'
import { summarizeState } from '../../loop/run-summary.ts'

/** As it would be read from a disk: no reader can change what another one gets. */
export interface KeptEvent {
  readonly seq: number
  readonly position: number
  readonly atMs: number
  readonly type: EventType
  readonly json: string
}

export interface KeptDecision {
  readonly stored: StoredDecision
  /** The question that it answers, as long as it counts as the answer. */
  readonly question: string | undefined
  readonly isApplied: boolean
}

export interface KeptLease {
  readonly owner: string | undefined
  readonly fence: number
  readonly expiresAtMs: number
}

export interface MemoryRun {
  /** Grows with each run and is not used again. */
  readonly key: number
  readonly id: RunId
  readonly name: string
  readonly loop: string
  readonly workspace: string | undefined
  readonly createdAtMs: number
  status: RunStatus
  events: readonly KeptEvent[]
  snapshot: string | undefined
  /** As text: nothing in it is shared with the caller. */
  summary: string | undefined
  decisions: readonly KeptDecision[]
  lease: KeptLease
  /** Attempts up to this event do not count as tried. */
  triedAfterSeq: number
  queued: NewQueueRow | undefined
  readonly facts: Map<string, RunFact>
  readonly blobs: Set<string>
  readonly trees: Set<string>
}

export function newMemoryRun(key: number, run: NewRun, position: number): MemoryRun {
  return {
    key,
    id: run.id,
    name: run.name,
    loop: run.loop,
    workspace: run.workspace,
    createdAtMs: run.atMs,
    status: 'pending',
    events: [keepEvent(run.event, 1, position, run.atMs)],
    snapshot: undefined,
    summary: JSON.stringify(
      summarizeState(evolve(initialState, { seq: 1, atMs: run.atMs, event: run.event })),
    ),
    decisions: [],
    lease: { owner: undefined, fence: 0, expiresAtMs: 0 },
    triedAfterSeq: 0,
    queued: undefined,
    facts: new Map(),
    blobs: new Set(run.blobs),
    trees: new Set(run.trees),
  }
}

export const keepEvent = (
  event: RunEvent,
  seq: number,
  position: number,
  atMs: number,
): KeptEvent => ({ seq, position, atMs, type: event.type, json: JSON.stringify(event) })

export const eventOf = ({ json }: KeptEvent): RunEvent => JSON.parse(json) as RunEvent

export const toRecorded = (run: RunId, kept: KeptEvent): RecordedEvent => ({
  run,
  seq: kept.seq,
  position: kept.position,
  atMs: kept.atMs,
  event: eventOf(kept),
})

export const lastEvent = ({ events, name }: MemoryRun): KeptEvent => {
  const last = events.at(-1)
  if (last === undefined) throw new Error(`run ${name} has no events`)
  return last
}

export function createdEvent({ events }: MemoryRun): Extract<RunEvent, { type: 'run-created' }> {
  const [first] = events
  const event = first === undefined ? undefined : eventOf(first)
  if (event?.type !== 'run-created') throw new Error('a run begins with run-created')
  return event
}

/** Only iterations that count can be rewound to. */
const counts = (event: RunEvent): event is Extract<RunEvent, { type: 'iteration-ended' }> =>
  event.type === 'iteration-ended' &&
  event.ending.type !== 'interrupted' &&
  event.ending.type !== 'rate-limited'

export function checkpointsOf({ events }: MemoryRun): readonly Checkpoint[] {
  let checkpoints: readonly Checkpoint[] = []
  for (const kept of events) {
    const event = eventOf(kept)
    if (counts(event)) {
      const { seq, atMs } = kept
      const { iteration } = event
      const others = checkpoints.filter((one) => one.iteration !== iteration)
      checkpoints = [...others, { iteration, seq, atMs }]
    }
    if (event.type === 'run-rewound') {
      checkpoints = checkpoints.filter(({ iteration }) => iteration <= event.toIteration)
    }
  }
  return checkpoints.toSorted((one, other) => one.iteration - other.iteration)
}

export interface OpenAsk {
  readonly id: string
  readonly question: Question
  readonly askedAtMs: number
  readonly deadlineAtMs: number
}

/** Questions whose step has no end yet, answered or not. */
export function asksOf({ events }: MemoryRun): readonly OpenAsk[] {
  const asks = new Map<string, OpenAsk>()
  for (const kept of events) {
    const event = eventOf(kept)
    if (event.type === 'step-started' && event.question !== undefined) {
      const { iteration, step, question, wakeAtMs } = event
      const id = `${iteration}/${step}`
      // One that is asked again after an interruption was asked before.
      if (wakeAtMs === undefined || asks.has(id)) continue
      asks.set(id, { id, question, askedAtMs: kept.atMs, deadlineAtMs: wakeAtMs })
    } else if (event.type === 'step-finished' || event.type === 'step-failed') {
      asks.delete(`${event.iteration}/${event.step}`)
    } else if (counts(event) || closesQuestions.has(event.type)) {
      asks.clear()
    }
  }
  return [...asks.values()]
}

const closesQuestions = new Set<EventType>(['iteration-restarted', 'run-rewound', 'run-ended'])

/** Ends of steps that count as tried, by what the agent was given. */
export function triesOf(run: MemoryRun): readonly {
  readonly fingerprint: string
  readonly iteration: number
  readonly seq: number
}[] {
  return run.events
    .filter(({ seq, type }) => seq > run.triedAfterSeq && type === 'step-finished')
    .flatMap((kept) => {
      const event = eventOf(kept)
      if (event.type !== 'step-finished' || event.fingerprint === undefined) return []
      const { fingerprint, iteration } = event
      return [{ fingerprint, iteration, seq: kept.seq }]
    })
}
