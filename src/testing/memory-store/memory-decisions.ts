/** E11. Decisions of a run: one answer to a question, each applied once. */

import { storeErrors, type Unit } from '../../engine/index.ts'
import type { RunEvent } from '../../loop/index.ts'
import type { KeptDecision } from './memory-run.ts'

/** The decisions after a unit. Throws if one of them was applied before; then nothing has changed. */
export function applyUnit(
  decisions: readonly KeptDecision[],
  { events }: Unit,
  hasEnded: boolean,
): readonly KeptDecision[] {
  const applied = events.reduce(applyEvent, decisions)
  // What was decided while the run was ending has nothing left to change.
  return hasEnded ? applied.map((decision) => ({ ...decision, isApplied: true })) : applied
}

function applyEvent(decisions: readonly KeptDecision[], event: RunEvent): readonly KeptDecision[] {
  switch (event.type) {
    case 'decision-applied': {
      const { id } = event
      const isPending = decisions.some(({ stored, isApplied }) => stored.id === id && !isApplied)
      if (!isPending) throw storeErrors.alreadyApplied(id)
      return decisions.map((one) => (one.stored.id === id ? { ...one, isApplied: true } : one))
    }
    case 'iteration-restarted':
      return reopen(decisions, event.iteration)
    case 'run-rewound':
      return reopen(decisions, event.toIteration + 1)
    default:
      return decisions
  }
}

/** A question that is asked again needs a new answer. */
const reopen = (decisions: readonly KeptDecision[], from: number): readonly KeptDecision[] =>
  decisions.map((one) =>
    one.isApplied && one.question !== undefined && Number.parseInt(one.question, 10) >= from
      ? { ...one, question: undefined }
      : one,
  )
