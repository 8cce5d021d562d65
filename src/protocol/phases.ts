/** Our statuses and outcomes as document 001's phases and outcomes. */

import type { Outcome, RunState } from '../loop/index.ts'
import type { LoopOutcome, LoopPhase } from './entities.ts'

/** An end that is no error is `completed` there; the outcome says how. */
export function toLoopPhase(state: RunState): LoopPhase {
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
    case 'stopped':
    case 'cancelled':
      return 'completed'
    case 'stuck':
    case 'failed':
      return 'error'
  }
}

/** The document knows one limit besides time; money and tokens are held by policy like it. */
export function toLoopOutcome(outcome: Outcome): LoopOutcome {
  switch (outcome.type) {
    case 'completed':
      return 'completed'
    case 'exhausted':
      return outcome.limit === 'time' || outcome.limit === 'deadline'
        ? 'timeout'
        : 'iteration_limit'
    case 'stopped':
    case 'cancelled':
      return 'cancelled'
    case 'stuck':
    case 'failed':
      return 'error'
  }
}
