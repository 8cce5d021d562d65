/** Document 001's result of a run that has ended. */

import { describeOutcome } from '../loop/index.ts'
import {
  agentNameOf,
  agentStateOf,
  type CheckpointSource,
  isoTime,
  lastCheckpoint,
  maxIterationsOf,
} from './checkpoint-source.ts'
import type { LoopResult } from './entities.ts'
import { toExitConditions } from './exit-conditions.ts'
import { toLoopOutcome } from './phases.ts'

/** Undefined while the run has not ended. */
export function toLoopResult(source: CheckpointSource): LoopResult | undefined {
  const { run, state } = source
  if (state.outcome === undefined) return undefined
  const outcome = toLoopOutcome(state.outcome)
  const said = describeOutcome(state.outcome)
  return {
    session_id: run.id,
    agent_name: agentNameOf(state),
    outcome,
    iterations_completed: state.iteration,
    max_iterations: maxIterationsOf(state),
    started_at: isoTime(state.createdAtMs),
    completed_at: isoTime(state.atMs),
    duration_seconds: Math.max(0, state.atMs - state.createdAtMs) / 1000,
    final_exit_conditions: toExitConditions(source),
    final_state: agentStateOf(state),
    last_checkpoint_id: lastCheckpoint(source)?.id ?? null,
    error_message: outcome === 'error' ? said : null,
    policy_violation_details: outcome === 'iteration_limit' ? said : null,
  }
}
