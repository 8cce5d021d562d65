/** Our statuses and outcomes as legacy phases and outcomes. */

import type { Outcome, RunState } from '../loop/index.ts'
import type { LoopOutcome, LoopPhase } from '../protocol/index.ts'

/** Every end that is not an error is `completed`; the outcome says how the run ended. */
export function toLoopPhase(state: Pick<RunState, 'status' | 'stop' | 'cancel'>): LoopPhase {
  switch (state.status) {
    case 'pending':
      return 'initializing'
    case 'running':
    case 'waiting':
    case 'suspended':
    case 'paused':
      return state.cancel === undefined && state.stop === undefined ? 'running' : 'completing'
    case 'completed':
    case 'exhausted':
    case 'denied':
    case 'stopped':
    case 'cancelled':
      return 'completed'
    case 'stuck':
    case 'failed':
      return 'error'
  }
}

/** The legacy format has one limit besides time, so exceeded money and token budgets map to it. */
export function toLoopOutcome(outcome: Outcome): LoopOutcome {
  switch (outcome.type) {
    case 'completed':
      return 'completed'
    case 'exhausted':
      return outcome.limit === 'time' || outcome.limit === 'deadline'
        ? 'timeout'
        : 'iteration_limit'
    case 'denied':
      return 'iteration_limit'
    case 'stopped':
    case 'cancelled':
      return 'cancelled'
    case 'stuck':
    case 'failed':
      return 'error'
  }
}
