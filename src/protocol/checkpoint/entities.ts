/**
 * The legacy entities, with that format's own field names, enumerations, bounds and defaults.
 * Its iterations are 0-based: `iteration` n is our iteration n + 1 while it runs, and n iterations
 * are finished.
 */

import { type StandardCondition, standardConditions } from '../../loop/index.ts'
import type { JsonObject } from '../values.ts'

export type ExitConditionType = StandardCondition | 'custom'
export const exitConditionTypes: readonly ExitConditionType[] = [...standardConditions, 'custom']

export const exitConditionStatuses = ['pending', 'met', 'not_met', 'error', 'skipped'] as const
export type ExitConditionStatusValue = (typeof exitConditionStatuses)[number]

export const loopPhases = [
  'initializing',
  'running',
  'evaluating_conditions',
  'saving_checkpoint',
  'completing',
  'completed',
  'error',
] as const
export type LoopPhase = (typeof loopPhases)[number]

export const loopOutcomes = [
  'completed',
  'iteration_limit',
  'error',
  'cancelled',
  'timeout',
] as const
export type LoopOutcome = (typeof loopOutcomes)[number]

export const iterationEventTypes = [
  'loop.started',
  'loop.iteration.started',
  'loop.iteration.completed',
  'loop.checkpoint.saved',
  'loop.exit_condition.evaluated',
  'loop.completed',
  'loop.error',
  'loop.policy.warning',
  'loop.policy.violation',
] as const
export type IterationEventType = (typeof iterationEventTypes)[number]

/** Integers with their bounds and defaults. */
export const loopConfigBounds = {
  max_iterations: { min: 1, max: 10_000, default: 100 },
  checkpoint_interval: { min: 1, max: 100, default: 5 },
  checkpoint_expiry_seconds: { min: 3600, max: 604_800, default: 86_400 },
  iteration_timeout_seconds: { min: 30, max: 3600, default: 300 },
  verification_timeout_seconds: { min: 5, max: 120, default: 30 },
} as const

export const agentNameCharsMax = 64
export const toolOutputCharsMax = 1000
/** The most events in a checkpoint file; the newest are kept. */
export const iterationEventsMax = 100

export interface ExitConditionConfig {
  readonly type: ExitConditionType
  readonly tool_name: string | null
  readonly tool_arguments: JsonObject
  readonly custom_evaluator: string | null
  readonly description: string
}

export interface LoopConfig {
  readonly agent_name: string
  readonly session_id: string | null
  readonly max_iterations: number
  readonly checkpoint_interval: number
  readonly checkpoint_expiry_seconds: number
  readonly exit_conditions: readonly ExitConditionConfig[]
  readonly iteration_timeout_seconds: number
  readonly verification_timeout_seconds: number
  readonly policy_engine_arn: string | null
  readonly gateway_url: string | null
  readonly region: string
  readonly custom_metadata: JsonObject
}

/** Identified by `tool_name`: two conditions of type `custom` can coexist. */
export interface ExitConditionStatus {
  readonly type: ExitConditionType
  readonly status: ExitConditionStatusValue
  readonly tool_name: string | null
  readonly tool_exit_code: number | null
  readonly tool_output: string | null
  readonly evaluated_at: string | null
  readonly evaluation_duration_ms: number | null
  readonly error_message: string | null
  readonly iteration_evaluated: number | null
}

export interface LoopState {
  readonly session_id: string
  readonly agent_name: string
  readonly current_iteration: number
  readonly max_iterations: number
  readonly phase: LoopPhase
  readonly started_at: string
  readonly last_iteration_at: string | null
  readonly last_checkpoint_at: string | null
  readonly last_checkpoint_iteration: number | null
  readonly exit_conditions: readonly ExitConditionStatus[]
  readonly is_active: boolean
  readonly agent_state: JsonObject
}

export interface Checkpoint {
  readonly checkpoint_id: string
  readonly session_id: string
  readonly agent_name: string
  readonly iteration: number
  readonly max_iterations: number
  readonly phase: LoopPhase
  readonly agent_state: JsonObject
  readonly exit_conditions: readonly ExitConditionStatus[]
  readonly custom_data: JsonObject
  readonly created_at: string
  readonly memory_event_id: string | null
}

export interface IterationEvent {
  readonly event_type: IterationEventType
  readonly session_id: string
  readonly agent_name: string
  readonly iteration: number
  readonly max_iterations: number
  readonly timestamp: string
  readonly duration_ms: number | null
  readonly exit_conditions_met: number
  readonly exit_conditions_total: number
  readonly phase: LoopPhase
  readonly details: JsonObject
  readonly error_message: string | null
}

export interface LoopResult {
  readonly session_id: string
  readonly agent_name: string
  readonly outcome: LoopOutcome
  readonly iterations_completed: number
  readonly max_iterations: number
  readonly started_at: string
  readonly completed_at: string
  readonly duration_seconds: number
  readonly final_exit_conditions: readonly ExitConditionStatus[]
  readonly final_state: JsonObject
  readonly last_checkpoint_id: string | null
  readonly error_message: string | null
  readonly policy_violation_details: string | null
}
