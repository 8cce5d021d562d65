/** Which legacy events each of our events becomes, and the fields specific to each. */

import {
  defined,
  describeOutcome,
  type EventType,
  type Outcome,
  type RecordedEvent,
  type RunEvent,
  type RunState,
} from '../loop/index.ts'
import type { IterationEventType, JsonObject, LoopPhase } from '../protocol/index.ts'
import { isCounted } from './checkpoint-source.ts'
import type { EventView } from './event-view.ts'
import { checkDetails, checkStatusTable, toExitConditionType } from './exit-conditions.ts'
import { toLoopOutcome } from './phases.ts'

/** The legacy events that each event can become. An empty list: it has no counterpart. */
export const eventTypesTable: Readonly<Record<EventType, readonly IterationEventType[]>> = {
  'run-created': ['loop.started'],
  'run-started': [],
  'run-suspended': [],
  'preflight-noted': [],
  'preflight-ended': [],
  'run-ended': ['loop.completed', 'loop.error', 'loop.policy.violation'],
  'iteration-started': ['loop.iteration.started'],
  'iteration-ended': ['loop.error', 'loop.iteration.completed', 'loop.checkpoint.saved'],
  'iteration-restarted': [],
  'step-started': [],
  'step-finished': ['loop.exit_condition.evaluated'],
  'step-failed': ['loop.policy.violation'],
  'step-interrupted': [],
  'step-noted': [],
  'budget-reserved': [],
  'budget-settled': [],
  'decision-applied': [],
  'run-rewound': [],
  'workspace-changed': [],
  'policy-decided': [],
  'limit-warned': ['loop.policy.warning'],
  'guidance-delivered': [],
  'action-recorded': [],
  warning: ['loop.policy.warning'],
  'loop-printed': [],
}

export interface EventDraft {
  readonly type: IterationEventType
  readonly phase: LoopPhase
  readonly iteration?: number
  readonly durationMs?: number | undefined
  readonly details?: JsonObject
  readonly error?: string
}

type Of<T extends EventType> = Extract<RunEvent, { type: T }>

export function toEventDrafts(
  recorded: RecordedEvent,
  view: EventView,
  state: Pick<RunState, 'checks' | 'createdAtMs'>,
): EventDraft[] {
  const { event, atMs } = recorded
  switch (event.type) {
    case 'run-created':
      return [{ type: 'loop.started', phase: 'initializing' }]
    case 'iteration-started':
      return [iterationStarted(event)]
    case 'iteration-ended':
      return iterationEnded(
        event,
        view.startedAtMs === undefined ? undefined : atMs - view.startedAtMs,
      )
    case 'step-finished':
      return checkEvaluated(event, state)
    case 'step-failed':
      return budgetRefused(event)
    case 'warning': {
      const details = { code: event.code, message: event.message }
      return [{ type: 'loop.policy.warning', phase: 'running', details }]
    }
    case 'limit-warned': {
      const { limit, current, max, remaining, threshold } = event
      const details = { limit, current, max, remaining, threshold }
      return [{ type: 'loop.policy.warning', phase: 'running', details }]
    }
    case 'run-ended':
      return [runEnded(event.outcome, atMs - state.createdAtMs)]
    case 'run-started':
    case 'run-suspended':
    case 'run-rewound':
    case 'iteration-restarted':
    case 'step-started':
    case 'step-interrupted':
    case 'step-noted':
    case 'budget-reserved':
    case 'budget-settled':
    case 'decision-applied':
    case 'workspace-changed':
    case 'preflight-noted':
    case 'preflight-ended':
    case 'loop-printed':
    case 'policy-decided':
    case 'guidance-delivered':
    case 'action-recorded':
      return []
  }
}

/** An iteration entered again after an interruption also starts again in the legacy format. */
function iterationStarted(event: Of<'iteration-started'>): EventDraft {
  const iteration = event.iteration - 1
  const details = { again: event.again === true }
  return { type: 'loop.iteration.started', phase: 'running', iteration, details }
}

/** The end of a counted iteration is a checkpoint, also after an error. */
function iterationEnded(
  event: Of<'iteration-ended'>,
  durationMs: number | undefined,
): EventDraft[] {
  const { ending } = event
  if (!isCounted(ending)) return []
  const iteration = event.iteration - 1
  const done: EventDraft[] = [
    {
      type: 'loop.iteration.completed',
      phase: 'running',
      iteration,
      durationMs,
      details: { ending: ending.type },
    },
    { type: 'loop.checkpoint.saved', phase: 'saving_checkpoint', iteration },
  ]
  if (ending.type !== 'error') return done
  const phase = ending.recoverable ? 'running' : 'error'
  const { code, message } = ending.fault
  return [{ type: 'loop.error', phase, iteration, details: { code }, error: message }, ...done]
}

function checkEvaluated(event: Of<'step-finished'>, state: Pick<RunState, 'checks'>): EventDraft[] {
  const { evidence } = event
  if (evidence === undefined) return []
  return [
    {
      type: 'loop.exit_condition.evaluated',
      phase: 'evaluating_conditions',
      iteration: event.iteration - 1,
      durationMs: checkDetails(event).durationMs,
      details: {
        type: toExitConditionType(state, evidence.check),
        tool_name: evidence.check,
        status: checkStatusTable[evidence.status],
      },
    },
  ]
}

/** A call whose worst case exceeds the budget. */
function budgetRefused(event: Of<'step-failed'>): EventDraft[] {
  const { limit, agent, message } = event.fault
  if (limit === undefined) return []
  const iteration = event.iteration - 1
  const details = { limit, step: event.step, ...defined({ agent }) }
  return [{ type: 'loop.policy.violation', phase: 'running', iteration, details, error: message }]
}

function runEnded(outcome: Outcome, durationMs: number): EventDraft {
  const details = { outcome: toLoopOutcome(outcome) }
  const error = describeOutcome(outcome)
  switch (outcome.type) {
    case 'completed':
    case 'stopped':
    case 'cancelled':
      return { type: 'loop.completed', phase: 'completed', durationMs, details }
    case 'exhausted':
    case 'denied':
      return { type: 'loop.policy.violation', phase: 'completed', durationMs, details, error }
    case 'stuck':
    case 'failed':
      return { type: 'loop.error', phase: 'error', durationMs, details, error }
  }
}
