/**
 * Our events as document 001's. One of ours can be several of theirs, or none.
 *
 * I1. What happened inside our iteration n carries their iteration n - 1; what happened outside one
 *     carries the number of iterations that were over.
 * I2. `exit_conditions_met` counts by the trees and results that the given events show, so it may
 *     be too low, never too high, when they are only the newest part of a history.
 */

import { checksPass } from '../loop/index.ts'
import {
  agentNameOf,
  type CheckpointSource,
  isoTime,
  maxIterationsOf,
} from './checkpoint-source.ts'
import { type IterationEvent, iterationEventsMax } from './entities.ts'
import { draftsOf } from './event-drafts.ts'
import { look, viewBefore } from './event-view.ts'

/** The newest of them, at most as many as a checkpoint file carries. */
export function toIterationEvents(source: CheckpointSource): IterationEvent[] {
  const { run, state, checks } = source
  const common = {
    session_id: run.id,
    agent_name: agentNameOf(state),
    max_iterations: maxIterationsOf(state),
    exit_conditions_total: checks.length,
  }
  let view = viewBefore(source.events, state.iteration)
  const result: IterationEvent[] = []
  for (const recorded of source.events) {
    if (recorded.seq > state.seq) break
    const drafts = draftsOf(recorded, view, state)
    view = look(view, recorded)
    const met = checks.filter((check) => checksPass([check], view.evidence, view.tree)).length
    const { seq, atMs, event } = recorded
    for (const draft of drafts) {
      result.push({
        ...common,
        event_type: draft.type,
        iteration: draft.iteration ?? view.iteration,
        timestamp: isoTime(atMs),
        duration_ms:
          draft.durationMs === undefined ? null : Math.max(0, Math.round(draft.durationMs)),
        exit_conditions_met: met,
        phase: draft.phase,
        details: { seq, event: event.type, ...draft.details },
        error_message: draft.error ?? null,
      })
    }
  }
  return result.slice(-iterationEventsMax)
}
