/** What may follow what in the events of a run. Each says what is wrong, if anything is. */

import {
  decide,
  type RecordedEvent,
  type RunEvent,
  type RunState,
  transitions,
} from '../../loop/index.ts'

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
