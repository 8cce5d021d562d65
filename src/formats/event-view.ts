/** Folds the given events of a run into what legacy events need to know about it. */

import type { Evidence, RecordedEvent, TreeId } from '../loop/index.ts'
import { isCounted } from './checkpoint-source.ts'

export interface EventView {
  /** Finished iterations. */
  readonly iteration: number
  /** When the current or last iteration started. */
  readonly startedAtMs?: number
  readonly tree: TreeId | undefined
  readonly evidence: { readonly [check: string]: Evidence }
}

export const emptyView: EventView = { iteration: 0, tree: undefined, evidence: {} }

/** The initial view if the events may be only the newest part of a history. */
export function viewBefore(events: readonly RecordedEvent[], iterationAtEnd: number): EventView {
  for (const { event } of events) {
    if (event.type === 'run-created') return emptyView
    if ('iteration' in event) return { ...emptyView, iteration: Math.max(0, event.iteration - 1) }
  }
  return { ...emptyView, iteration: iterationAtEnd }
}

export function advanceView(view: EventView, { event, atMs }: RecordedEvent): EventView {
  // A re-entered iteration restores its tree step by step; a suspension only reports one.
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
    return isCounted(event.ending) ? { ...moved, iteration: event.iteration } : view
  }
  if (event.type !== 'step-finished' || event.evidence === undefined) return moved
  const { check, ...evidence } = event.evidence
  return { ...moved, evidence: { ...moved.evidence, [check]: evidence } }
}
