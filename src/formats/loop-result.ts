/** The legacy result of a finished run. */

import { describeOutcome } from '../loop/index.ts'
import type { LoopResult } from '../protocol/index.ts'
import {
  type CheckpointSource,
  findLastCheckpoint,
  isoTime,
  toAgentName,
  toAgentState,
  toMaxIterations,
} from './checkpoint-source.ts'
import { toExitConditions } from './exit-conditions.ts'
import { toLoopOutcome } from './phases.ts'

/** Undefined until the run has ended. */
export function toLoopResult(source: CheckpointSource): LoopResult | undefined {
  const { run, state } = source
  if (state.outcome === undefined) return undefined
  const outcome = toLoopOutcome(state.outcome)
  const description = describeOutcome(state.outcome)
  return {
    session_id: run.id,
    agent_name: toAgentName(state),
    outcome,
    iterations_completed: state.iteration,
    max_iterations: toMaxIterations(state),
    started_at: isoTime(state.createdAtMs),
    completed_at: isoTime(state.atMs),
    duration_seconds: Math.max(0, state.atMs - state.createdAtMs) / 1000,
    final_exit_conditions: toExitConditions(source),
    final_state: toAgentState(state),
    last_checkpoint_id: findLastCheckpoint(source)?.id ?? null,
    error_message: outcome === 'error' ? description : null,
    policy_violation_details: outcome === 'iteration_limit' ? description : null,
  }
}
