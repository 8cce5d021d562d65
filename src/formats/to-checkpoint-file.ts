/**
 * A checkpoint as a file. Values are fitted to the legacy format as follows, in its part only (C1):
 *
 *   max_iterations                 our limit, clamped to 1..10000
 *   agent_name                     the loop's name, its first 64 characters
 *   checkpoint_interval            1: every iteration is a checkpoint
 *   checkpoint_expiry_seconds      604800, the most: ours do not expire
 *   iteration_timeout_seconds      the run's time limit, clamped to 30..3600
 *   verification_timeout_seconds   120, the most: the default for our checks is 10 minutes
 *   tool_output                    the last 1000 characters
 *   events                         the last 100
 *   times                          years 1970 to 9999
 */

import { committed, defined, eventVersion, LoopError, NotJsonError } from '../loop/index.ts'
import {
  type CheckpointFile,
  type Continuation,
  canonicalJson,
  checkpointCharsMax,
  checkpointFileSchema,
  checkpointFormat,
  checkpointFormatVersion,
  formatJsonPath,
  type LoopConfig,
  type LoopState,
  loopConfigBounds,
  type Sha256,
} from '../protocol/index.ts'
import {
  type CheckpointSource,
  checkpointTree,
  clamp,
  findLastCheckpoint,
  isoTime,
  toAgentName,
  toAgentState,
  toMaxIterations,
} from './checkpoint-source.ts'
import { toExitConditionConfigs, toExitConditions } from './exit-conditions.ts'
import { toIterationEvents } from './iteration-events.ts'
import { toLoopPhase } from './phases.ts'

/** Rejects with `not-serialisable` a file that a reader would refuse. */
export function toCheckpointFile(source: CheckpointSource, sha256: Sha256): CheckpointFile {
  const { run, state } = source
  const loopState = toLoopState(source)
  const { session_id, agent_name, max_iterations, phase, agent_state, exit_conditions } = loopState
  const position = findLastCheckpoint(source)
  const content: Omit<CheckpointFile, 'sha256'> = {
    format: checkpointFormat,
    format_version: checkpointFormatVersion,
    loop_config: toLoopConfig(source),
    state: loopState,
    checkpoint: {
      checkpoint_id: position?.id ?? `${run.id}:${state.seq}`,
      session_id,
      agent_name,
      iteration: state.iteration,
      max_iterations,
      phase,
      agent_state,
      exit_conditions,
      custom_data: {},
      created_at: isoTime(position?.atMs ?? state.atMs),
      memory_event_id: null,
    },
    exit_conditions,
    events: toIterationEvents(source),
    loopwright: toContinuation(source),
  }
  return validate(content, sha256)
}

function toLoopConfig(source: CheckpointSource): LoopConfig {
  const { run, state } = source
  const { checkpoint_expiry_seconds, iteration_timeout_seconds, verification_timeout_seconds } =
    loopConfigBounds
  return {
    agent_name: toAgentName(state),
    session_id: run.id,
    max_iterations: toMaxIterations(state),
    checkpoint_interval: 1,
    checkpoint_expiry_seconds: checkpoint_expiry_seconds.max,
    exit_conditions: toExitConditionConfigs(source),
    iteration_timeout_seconds: clamp(state.limits.timeMs / 1000, iteration_timeout_seconds),
    verification_timeout_seconds: verification_timeout_seconds.max,
    policy_engine_arn: null,
    gateway_url: null,
    region: 'local',
    custom_metadata: { run_name: run.name },
  }
}

function toLoopState(source: CheckpointSource): LoopState {
  const { run, state } = source
  const position = findLastCheckpoint(source)
  const lastAt = position === undefined ? null : isoTime(position.atMs)
  return {
    session_id: run.id,
    agent_name: toAgentName(state),
    current_iteration: state.iteration,
    max_iterations: toMaxIterations(state),
    phase: toLoopPhase(state),
    started_at: isoTime(state.createdAtMs),
    last_iteration_at: lastAt,
    last_checkpoint_at: lastAt,
    last_checkpoint_iteration: state.iteration === 0 ? null : state.iteration,
    exit_conditions: toExitConditions(source),
    is_active: state.status === 'running' || state.status === 'waiting',
    agent_state: toAgentState(state),
  }
}

/** Reservations count as spent: a run that continues elsewhere cannot learn the actual cost. */
function toContinuation({ run, state, input, files }: CheckpointSource): Continuation {
  const { progress } = state
  const tree = checkpointTree(state)
  return {
    run: { id: run.id, name: run.name },
    loop: state.loop,
    codeDigest: state.codeDigest,
    eventVersion,
    iteration: state.iteration,
    limits: state.limits,
    spent: committed(state),
    activeMs: state.activeMs,
    ...defined({ progress, input }),
    evidence: Object.entries(state.evidence).map(([check, found]) => ({ check, ...found })),
    unchanged: state.unchanged,
    errors: state.errors,
    ...defined({ tree, files }),
  }
}

function validate(content: Omit<CheckpointFile, 'sha256'>, sha256: Sha256): CheckpointFile {
  const parsed = checkpointFileSchema.safeParse({ ...content, sha256: digest(content, sha256) })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw refused(`${formatJsonPath(issue?.path ?? [])}: ${issue?.message}`)
}

function digest(content: object, sha256: Sha256): string {
  try {
    const text = canonicalJson(content)
    if (text.length < checkpointCharsMax) return sha256(text)
  } catch (error) {
    if (error instanceof NotJsonError) throw refused(error.message)
    throw error
  }
  throw refused(`it is longer than ${checkpointCharsMax} characters; export it without its files`)
}

const refused = (problem: string): LoopError =>
  new LoopError(
    'not-serialisable',
    `the checkpoint cannot be written as a file: ${problem}. Export another, or change the loop.`,
  )
