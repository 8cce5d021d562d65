/**
 * Schemas of the legacy entities. Strict: unknown keys are refused. Fields that the format does not
 * require have a default, except times: a file must say when something happened.
 */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { count, jsonObject, listOf, ordinal, published, timestamp } from '../values.ts'
import {
  agentNameCharsMax,
  type Checkpoint,
  type ExitConditionConfig,
  type ExitConditionStatus,
  exitConditionStatuses,
  exitConditionTypes,
  type IterationEvent,
  iterationEventTypes,
  type LoopConfig,
  type LoopResult,
  type LoopState,
  loopConfigBounds,
  loopOutcomes,
  loopPhases,
  toolOutputCharsMax,
} from './entities.ts'

interface Bounds {
  readonly min: number
  readonly max: number
  readonly default: number
}

const bounded = (bounds: Bounds) => z.int().min(bounds.min).max(bounds.max).default(bounds.default)
const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().default(null)
const text = z.string()
const phase = z.enum(loopPhases)
const agentName = z.string().min(1).max(agentNameCharsMax)
const objectOrEmpty = jsonObject.default({})

export const exitConditionConfigSchema: z.ZodType<ExitConditionConfig> =
  exactly<ExitConditionConfig>()(
    z.strictObject({
      type: z.enum(exitConditionTypes),
      tool_name: orNull(text),
      tool_arguments: objectOrEmpty,
      custom_evaluator: orNull(text),
      description: text.default(''),
    }),
  ).register(published, { id: 'ExitConditionConfig' })

export const loopConfigSchema: z.ZodType<LoopConfig> = exactly<LoopConfig>()(
  z.strictObject({
    agent_name: agentName,
    session_id: orNull(text),
    max_iterations: bounded(loopConfigBounds.max_iterations),
    checkpoint_interval: bounded(loopConfigBounds.checkpoint_interval),
    checkpoint_expiry_seconds: bounded(loopConfigBounds.checkpoint_expiry_seconds),
    exit_conditions: listOf(exitConditionConfigSchema).default([]),
    iteration_timeout_seconds: bounded(loopConfigBounds.iteration_timeout_seconds),
    verification_timeout_seconds: bounded(loopConfigBounds.verification_timeout_seconds),
    policy_engine_arn: orNull(text),
    gateway_url: orNull(text),
    region: text.default('us-east-1'),
    custom_metadata: objectOrEmpty,
  }),
).register(published, { id: 'LoopConfig' })

export const exitConditionStatusSchema: z.ZodType<ExitConditionStatus> =
  exactly<ExitConditionStatus>()(
    z.strictObject({
      type: z.enum(exitConditionTypes),
      status: z.enum(exitConditionStatuses),
      tool_name: orNull(text),
      tool_exit_code: orNull(z.int()),
      tool_output: orNull(z.string().max(toolOutputCharsMax)),
      evaluated_at: orNull(timestamp),
      evaluation_duration_ms: orNull(count),
      error_message: orNull(text),
      iteration_evaluated: orNull(count),
    }),
  ).register(published, { id: 'ExitConditionStatus' })

const exitConditions = listOf(exitConditionStatusSchema).default([])

export const loopStateSchema: z.ZodType<LoopState> = exactly<LoopState>()(
  z.strictObject({
    session_id: text,
    agent_name: agentName,
    current_iteration: count.default(0),
    max_iterations: ordinal,
    phase: phase.default('initializing'),
    started_at: timestamp,
    last_iteration_at: orNull(timestamp),
    last_checkpoint_at: orNull(timestamp),
    last_checkpoint_iteration: orNull(count),
    exit_conditions: exitConditions,
    is_active: z.boolean().default(false),
    agent_state: objectOrEmpty,
  }),
).register(published, { id: 'LoopState' })

export const checkpointSchema: z.ZodType<Checkpoint> = exactly<Checkpoint>()(
  z.strictObject({
    checkpoint_id: text,
    session_id: text,
    agent_name: agentName,
    iteration: count,
    max_iterations: ordinal,
    phase,
    agent_state: objectOrEmpty,
    exit_conditions: exitConditions,
    custom_data: objectOrEmpty,
    created_at: timestamp,
    memory_event_id: orNull(text),
  }),
).register(published, { id: 'Checkpoint' })

export const iterationEventSchema: z.ZodType<IterationEvent> = exactly<IterationEvent>()(
  z.strictObject({
    event_type: z.enum(iterationEventTypes),
    session_id: text,
    agent_name: agentName,
    iteration: count,
    max_iterations: ordinal,
    timestamp,
    duration_ms: orNull(count),
    exit_conditions_met: count.default(0),
    exit_conditions_total: count.default(0),
    phase: phase.default('running'),
    details: objectOrEmpty,
    error_message: orNull(text),
  }),
).register(published, { id: 'IterationEvent' })

export const loopResultSchema: z.ZodType<LoopResult> = exactly<LoopResult>()(
  z.strictObject({
    session_id: text,
    agent_name: agentName,
    outcome: z.enum(loopOutcomes),
    iterations_completed: count,
    max_iterations: ordinal,
    started_at: timestamp,
    completed_at: timestamp,
    duration_seconds: z.number().nonnegative(),
    final_exit_conditions: exitConditions,
    final_state: objectOrEmpty,
    last_checkpoint_id: orNull(text),
    error_message: orNull(text),
    policy_violation_details: orNull(text),
  }),
).register(published, { id: 'LoopResult' })
