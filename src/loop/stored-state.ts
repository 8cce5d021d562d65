/**
 * A state as it is stored and sent: flat JSON. States that an earlier version wrote lack newer members, and
 * their members may not match their status.
 */

import { LoopError } from './errors.ts'
import type { StepId, TreeId } from './ids.ts'
import type { Outcome } from './outcome.ts'
import {
  ended,
  halted,
  type OpenIteration,
  pending,
  type RunPhase,
  running,
  type Whole,
  waiting,
} from './run-phase.ts'
import { initialState, type RunFacts, type RunState } from './state.ts'
import type { RunStatus } from './status.ts'

export interface StoredState extends RunFacts {
  readonly status: RunStatus
  readonly open?: OpenIteration | undefined
  readonly waits: readonly StepId[]
  readonly suspendedTree?: TreeId | undefined
  readonly outcome?: Outcome | undefined
}

/** Reads a stored state, including those that an earlier version wrote. */
export const readState = (stored: StoredState): RunState => ({
  ...initialState,
  ...stored,
  ...readPhase(stored),
  metrics: { ...initialState.metrics, ...stored.metrics },
})

function readPhase(stored: StoredState): Whole<RunPhase> {
  const { status, open, waits, suspendedTree, outcome } = stored
  if (outcome !== undefined) return ended(outcome, suspendedTree)
  switch (status) {
    case 'pending':
      return pending
    case 'running':
      return running(open, suspendedTree)
    case 'waiting':
      // Earlier versions stored this status if an iteration ended or was abandoned during a wait.
      return open === undefined ? running(undefined, suspendedTree) : waiting(open, waits)
    case 'suspended':
    case 'paused':
      return halted(status, open, suspendedTree)
    default:
      throw new LoopError(
        'store-damaged',
        `A stored state has the status "${status}" but no outcome. Restore the state folder from a backup.`,
      )
  }
}
