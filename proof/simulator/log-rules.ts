/** What may follow what in the events of a run. Each says what is wrong, if anything is. */

import {
  decide,
  type RecordedEvent,
  type RunEvent,
  type RunState,
  type StepFinished,
  transitions,
} from '#src/loop/index.ts'

/** E1. Gapless within the run, growing in the store. */
export function placeProblem(
  last: RecordedEvent | undefined,
  next: RecordedEvent,
): string | undefined {
  if (next.seq !== (last?.seq ?? 0) + 1) return `E1: event ${next.seq} follows ${last?.seq ?? 0}`
  if (last === undefined) return undefined
  if (next.position <= last.position) return 'E1: the position does not grow'
  return next.atMs < last.atMs ? `event ${next.seq} is older than ${last.seq}` : undefined
}

/** The published table of statuses holds. */
export function movesProblem(
  before: RunState,
  after: RunState,
  event: RunEvent,
): string | undefined {
  if (after.status === before.status || transitions[before.status].includes(after.status)) {
    return undefined
  }
  return `${before.status} became ${after.status} by ${event.type}`
}

/** What may not happen in this state at all. */
export function orderProblem(state: RunState, event: RunEvent): string | undefined {
  if (state.outcome !== undefined) return `${event.type} comes after the end of the run`
  switch (event.type) {
    case 'iteration-started':
      return startProblem(state, event.iteration, event.again === true)
    case 'step-started':
    case 'step-finished':
    case 'step-failed':
    case 'step-interrupted':
    case 'iteration-ended':
      if (state.open?.iteration === event.iteration) return undefined
      return `${event.type} belongs to iteration ${event.iteration}, which is not open`
    case 'run-ended':
      if (state.cancel === undefined || event.outcome.type === 'cancelled') return undefined
      return `a cancelled run ended as ${event.outcome.type}`
    default:
      return undefined
  }
}

function startProblem(state: RunState, iteration: number, again: boolean): string | undefined {
  if (again) return state.open?.iteration === iteration ? undefined : 'entered another iteration'
  if (state.stop !== undefined) return 'an iteration was started after a stop'
  if (state.pauseRequested) return 'an iteration was started in a pause'
  if (state.open !== undefined) return 'an iteration was started inside another'
  return iteration === state.iteration + 1 ? undefined : 'an iteration was left out'
}

/** E5. A completed run has a certificate of its last iteration, and nothing changed after it. */
export function certifiedProblem(events: readonly RecordedEvent[]): string | undefined {
  const last = events.at(-1)?.event
  if (last?.type !== 'run-ended' || last.outcome.type !== 'completed') return undefined
  const issued = events.findLastIndex(
    ({ event }) => event.type === 'step-finished' && event.certificate !== undefined,
  )
  const begun = events.findLastIndex(
    ({ event }) => event.type === 'iteration-started' && event.again !== true,
  )
  if (issued < begun || issued < 0) return 'E5: it is completed without a certificate'
  const certificate = events[issued]?.event as StepFinished
  const later = events.slice(issued + 1).find(({ event }) => isChange(event, certificate))
  return later === undefined ? undefined : `E5: ${later.event.type} comes after the certificate`
}

function isChange(event: RunEvent, { certificate }: StepFinished): boolean {
  switch (event.type) {
    case 'step-started':
    case 'step-finished':
    case 'step-failed':
    case 'iteration-restarted':
    case 'run-rewound':
      return true
    case 'workspace-changed':
      return event.tree !== certificate?.tree
    default:
      return false
  }
}

/** The outcome is what `decide` says about the state before it. */
export function endProblem(before: RunState, event: RunEvent, atMs: number): string | undefined {
  if (event.type !== 'run-ended') return undefined
  const { outcome } = event
  // A hook may refuse a run before anything is decided.
  if (outcome.type === 'failed' && outcome.fault.code === 'refused') return undefined
  const command = decide(before, atMs)
  if (command.type === 'finish' && JSON.stringify(command.outcome) === JSON.stringify(outcome)) {
    return undefined
  }
  return `it ended as ${JSON.stringify(outcome)}, and decide says ${JSON.stringify(command)}`
}
