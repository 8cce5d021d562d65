/** What a run's events so far say about it, as far as they are given: a small fold of its own. */

import type { Evidence, RecordedEvent, TreeId } from '../loop/index.ts'
import { counts } from './checkpoint-source.ts'

export interface EventView {
  /** Iterations that are over. */
  readonly iteration: number
  /** When the one under way, or the last one, started. */
  readonly startedAtMs?: number
  readonly tree: TreeId | undefined
  readonly evidence: { readonly [check: string]: Evidence }
}

export const emptyView: EventView = { iteration: 0, tree: undefined, evidence: {} }

/** What to begin with where the events may be only the newest part of a history. */
export function viewBefore(events: readonly RecordedEvent[], iterationAtEnd: number): EventView {
  for (const { event } of events) {
    if (event.type === 'run-created') return emptyView
    if ('iteration' in event) return { ...emptyView, iteration: Math.max(0, event.iteration - 1) }
  }
  return { ...emptyView, iteration: iterationAtEnd }
}

export function look(view: EventView, { event, atMs }: RecordedEvent): EventView {
  // Entering an iteration again restores its tree step by step; a suspension only reports one.
  const moved =
    'tree' in event && event.type !== 'run-suspended' && event.type !== 'step-started'
      ? { ...view, tree: event.tree ?? view.tree }
      : view
  if (event.type === 'run-created') return { ...moved, iteration: event.iteration ?? 0 }
  if (event.type === 'run-rewound') return { ...moved, iteration: event.toIteration, evidence: {} }
  if (event.type === 'iteration-started') {
    return event.again === true ? view : { ...moved, startedAtMs: atMs }
  }
  if (event.type === 'iteration-ended') {
    return counts(event.ending) ? { ...moved, iteration: event.iteration } : view
  }
  if (event.type !== 'step-finished' || event.evidence === undefined) return moved
  const { check, ...found } = event.evidence
  return { ...moved, evidence: { ...moved.evidence, [check]: found } }
}
