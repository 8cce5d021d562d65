/**
 * Checks as legacy exit conditions.
 *
 * X1. All conditions are `met` exactly when the engine would say that all checks pass: a result for
 *     another tree does not count, and its condition is `pending`.
 * X2. One condition per check, identified by `tool_name`. Its type is the standard condition that the
 *     check implements, else `custom`, whatever the name of the check.
 */

import { z } from 'zod'
import {
  type CheckStatus,
  type Evidence,
  findDescription,
  keepEnd,
  type RecordedEvent,
  type RunState,
  type StepFinished,
} from '../loop/index.ts'
import {
  type ExitConditionConfig,
  type ExitConditionStatus,
  type ExitConditionStatusValue,
  type ExitConditionType,
  toolOutputCharsMax,
} from '../protocol/index.ts'
import { type CheckpointSource, checkpointTree, isoTime } from './checkpoint-source.ts'

/** For journals that do not record what a check is: names that meant a standard condition. */
const legacyNames: ReadonlyMap<string, ExitConditionType> = new Map<string, ExitConditionType>([
  ['all_tests_pass', 'all_tests_pass'],
  ['test', 'all_tests_pass'],
  ['tests', 'all_tests_pass'],
  ['build_succeeds', 'build_succeeds'],
  ['build', 'build_succeeds'],
  ['linting_clean', 'linting_clean'],
  ['lint', 'linting_clean'],
  ['security_scan_clean', 'security_scan_clean'],
  ['security', 'security_scan_clean'],
])

export const checkStatusTable: Readonly<Record<CheckStatus, ExitConditionStatusValue>> = {
  met: 'met',
  'not-met': 'not_met',
  error: 'error',
  timeout: 'error',
  skipped: 'skipped',
}

export function toExitConditionType(
  state: Pick<RunState, 'checks'>,
  check: string,
): ExitConditionType {
  if (state.checks === undefined) return legacyNames.get(check) ?? 'custom'
  return findDescription(state, check)?.condition ?? 'custom'
}

/** `custom_evaluator` is what evaluates it: a command, a tool, a judge or code. */
export function toExitConditionConfigs({
  state,
  checks,
}: Pick<CheckpointSource, 'state' | 'checks'>): ExitConditionConfig[] {
  return checks.map((check) => {
    const type = toExitConditionType(state, check)
    const kind = type === 'custom' ? findDescription(state, check)?.kind : undefined
    return {
      type,
      tool_name: check,
      tool_arguments: {},
      custom_evaluator: kind ?? null,
      description: '',
    }
  })
}

export function toExitConditions(source: CheckpointSource): ExitConditionStatus[] {
  const { state, checks, events } = source
  const tree = checkpointTree(state)
  return checks.map((check) => {
    const evidence = Object.hasOwn(state.evidence, check) ? state.evidence[check] : undefined
    const pending = pendingCondition(check, toExitConditionType(state, check))
    if (evidence === undefined || evidence.tree !== tree) return pending
    return toEvaluatedCondition(pending, evidence, lastEvaluation(events, check, state.seq))
  })
}

function pendingCondition(check: string, type: ExitConditionType): ExitConditionStatus {
  return {
    type,
    status: 'pending',
    tool_name: check,
    tool_exit_code: null,
    tool_output: null,
    evaluated_at: null,
    evaluation_duration_ms: null,
    error_message: null,
    iteration_evaluated: null,
  }
}

interface Evaluation {
  readonly atMs: number
  readonly details: CheckDetails
}

/** Details are null if the events do not reach back that far. `tool_output` keeps the end. */
function toEvaluatedCondition(
  pending: ExitConditionStatus,
  evidence: Evidence,
  evaluation: Evaluation | undefined,
): ExitConditionStatus {
  const { exitCode, output, durationMs } = evaluation?.details ?? {}
  return {
    ...pending,
    status: checkStatusTable[evidence.status],
    tool_exit_code: exitCode ?? null,
    tool_output: output === undefined ? null : keepEnd(output, toolOutputCharsMax),
    evaluated_at: evaluation === undefined ? null : isoTime(evaluation.atMs),
    evaluation_duration_ms: durationMs === undefined ? null : Math.round(durationMs),
    error_message: errorMessage(evidence.status),
    iteration_evaluated: Math.max(0, evidence.iteration - 1),
  }
}

function errorMessage(status: CheckStatus): string | null {
  if (status === 'timeout') return 'the check exceeded its time limit'
  return status === 'error' ? 'the check could not run' : null
}

/** What the journal holds of a check's result, if it is there; large results are in a blob. */
interface CheckDetails {
  readonly exitCode?: number | undefined
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
}

const checkDetailsSchema: z.ZodType<CheckDetails> = z
  .object({
    exitCode: z.int().optional(),
    output: z.string().optional(),
    durationMs: z.number().nonnegative().optional(),
  })
  .catch({})

export function checkDetails(event: StepFinished): CheckDetails {
  const { result } = event
  return result !== undefined && 'value' in result ? checkDetailsSchema.parse(result.value) : {}
}

function lastEvaluation(
  events: readonly RecordedEvent[],
  check: string,
  toSeq: number,
): Evaluation | undefined {
  for (let index = events.length - 1; index >= 0; index--) {
    const recorded = events[index]
    if (recorded === undefined || recorded.seq > toSeq) continue
    const { atMs, event } = recorded
    if (event.type !== 'step-finished' || event.evidence?.check !== check) continue
    return { atMs, details: checkDetails(event) }
  }
  return undefined
}
