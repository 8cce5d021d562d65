/**
 * Our events as legacy events. One of ours can become several of theirs, or none.
 *
 * I1. An event inside our iteration n has their iteration n - 1; an event outside an iteration has the
 *     number of finished iterations.
 * I2. `exit_conditions_met` counts by the trees and results in the given events. If those are only the
 *     newest part of a history, the count may be too low, never too high.
 */

import { checksPass } from '../loop/index.ts'
import { type IterationEvent, iterationEventsMax } from '../protocol/index.ts'
import {
  type CheckpointSource,
  isoTime,
  toAgentName,
  toMaxIterations,
} from './checkpoint-source.ts'
import { toEventDrafts } from './event-drafts.ts'
import { advanceView, viewBefore } from './event-view.ts'

/** The newest events, at most as many as a checkpoint file holds. */
export function toIterationEvents(source: CheckpointSource): IterationEvent[] {
  const { run, state, checks } = source
  const common = {
    session_id: run.id,
    agent_name: toAgentName(state),
    max_iterations: toMaxIterations(state),
    exit_conditions_total: checks.length,
  }
  let view = viewBefore(source.events, state.iteration)
  const result: IterationEvent[] = []
  for (const recorded of source.events) {
    if (recorded.seq > state.seq) break
    const drafts = toEventDrafts(recorded, view, state)
    view = advanceView(view, recorded)
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
