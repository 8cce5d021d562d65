/**
 * The fold: what is known after one more event. Pure and total.
 *
 * E2. What an unfinished step had reserved is charged when its iteration is left or entered again.
 * E12. Nothing here forgets an error: counts only grow, and are reset only by measured progress.
 */

import { type Amount, add, subtract, zero } from './budget.ts'
import { evolveDecision } from './decision-evolve.ts'
import type { IterationEnded, RecordedEvent, RunEvent, StepFailed, StepFinished } from './event.ts'
import { errorSignature } from './fault.ts'
import type { StepId } from './ids.ts'
import { toJson } from './json.ts'
import { applyPatch, isUnchanged } from './patch.ts'
import { committed, initialState, type Metrics, type RunState } from './state.ts'
import { kindOf } from './step-name.ts'

export type Occurrence = Pick<RecordedEvent, 'seq' | 'atMs' | 'event'>

export function evolve(state: RunState, occurrence: Occurrence): RunState {
  const { seq, atMs, event } = occurrence
  // The time between a crash and the next start is nobody's work.
  const worked = state.status === 'running' && event.type !== 'run-started'
  const activeMs = worked ? state.activeMs + Math.max(0, atMs - state.atMs) : state.activeMs
  return apply({ ...state, seq, atMs, activeMs }, event, seq, atMs)
}

function apply(state: RunState, event: RunEvent, seq: number, atMs: number): RunState {
  switch (event.type) {
    case 'run-created':
      return created(state, event, atMs)
    case 'run-started':
      return { ...omit(chargeOpen(state), 'suspendedTree'), status: 'running', waits: [] }
    case 'run-suspended': {
      const status = state.pauseRequested ? 'paused' : 'suspended'
      const next = { ...chargeOpen(state), status, waits: [] } as const
      return event.tree === undefined ? next : { ...next, suspendedTree: event.tree }
    }
    case 'run-ended':
      return {
        ...omit(chargeOpen(state), 'open'),
        status: event.outcome.type,
        outcome: event.outcome,
      }
    case 'iteration-started': {
      const codeDigest = event.codeDigest ?? state.codeDigest
      const open =
        event.again && state.open !== undefined
          ? { ...state.open, codeDigest }
          : { iteration: event.iteration, fromSeq: seq, startedAtMs: atMs, codeDigest }
      const base = { ...state, status: 'running', codeDigest, open } as const
      if (event.again || event.tree === undefined) return base
      return { ...base, tree: event.tree, treeAtIterationStart: event.tree }
    }
    case 'iteration-restarted':
      return state.open === undefined
        ? state
        : {
            ...chargeOpen(state),
            begunIteration: Math.max(state.begunIteration ?? 0, event.iteration),
            open: { ...state.open, fromSeq: seq, startedAtMs: atMs },
          }
    case 'iteration-ended':
      return iterationEnded(chargeOpen(state), event, atMs)
    case 'step-started':
      return stepStarted(state, event)
    case 'step-finished':
    case 'step-failed':
    case 'step-interrupted':
      return stepSettled(state, event)
    case 'budget-reserved':
      return { ...state, reserved: { ...state.reserved, [event.id]: event.worst } }
    case 'budget-settled':
      return settle(state, event.id, event.spent)
    case 'decision-applied':
      return evolveDecision(state, event)
    case 'run-rewound':
      return rewound(state, event)
    case 'workspace-changed':
      return { ...state, tree: event.tree }
    case 'warning':
      return state
  }
}

function created(
  state: RunState,
  event: Extract<RunEvent, { type: 'run-created' }>,
  atMs: number,
): RunState {
  const { loop, codeDigest, limits, origin, progress, iteration, tree, carried } = event
  return {
    ...state,
    createdAtMs: atMs,
    loop,
    codeDigest,
    limits,
    iteration: iteration ?? 0,
    ...carried,
    ...(origin === undefined ? {} : { origin }),
    ...(progress === undefined ? {} : { progress: toJson(progress) }),
    ...(tree === undefined ? {} : { tree }),
  }
}

function iterationEnded(state: RunState, event: IterationEnded, atMs: number): RunState {
  const { ending } = event
  const base = { ...state, lastEnding: ending, waits: [] }
  switch (ending.type) {
    case 'rate-limited':
      return { ...base, status: 'waiting', metrics: count(state.metrics, 'rateLimits') }
    case 'interrupted':
      return { ...base, metrics: count(state.metrics, 'interruptions') }
    case 'error': {
      const signature = errorSignature(ending.fault)
      const again = signature === state.errors.signature
      return {
        ...closed(base, event, atMs),
        errors: { signature, times: again ? state.errors.times + 1 : 1 },
        metrics: count(closedMetrics(state, atMs), 'iterationErrors'),
      }
    }
    case 'continue':
    case 'complete':
      return { ...closed(base, event, atMs), errors: initialState.errors }
  }
}

/** An iteration that counts is over. */
function closed(state: RunState, event: IterationEnded, atMs: number): RunState {
  const patch = event.progress
  const sameProgress = patch === undefined || isUnchanged(patch)
  const unchanged = sameProgress && state.tree === state.treeAtIterationStart
  const next: RunState = {
    ...omit(state, 'open'),
    iteration: event.iteration,
    unchanged: unchanged ? state.unchanged + 1 : 0,
    metrics: closedMetrics(state, atMs),
  }
  return patch === undefined
    ? next
    : { ...next, progress: toJson(applyPatch(state.progress, patch)) }
}

const closedMetrics = (state: RunState, atMs: number): Metrics => ({
  ...state.metrics,
  iterationMs: state.metrics.iterationMs + (atMs - (state.open?.startedAtMs ?? atMs)),
})

function stepStarted(
  state: RunState,
  event: Extract<RunEvent, { type: 'step-started' }>,
): RunState {
  const waiting = event.wakeAtMs !== undefined
  const { reserved } = event
  if (!waiting && reserved === undefined) return state
  return {
    ...state,
    ...(waiting ? { waits: [...state.waits, event.step], status: 'waiting' as const } : {}),
    ...(reserved === undefined ? {} : { reserved: { ...state.reserved, [event.step]: reserved } }),
  }
}

function stepSettled(
  state: RunState,
  event: StepFinished | StepFailed | Extract<RunEvent, { type: 'step-interrupted' }>,
): RunState {
  const settled = settle(endWait(state, event.step), event.step, event.spent)
  switch (event.type) {
    case 'step-interrupted':
      return settled
    case 'step-failed': {
      const field = event.retryAtMs === undefined ? 'stepsFailed' : 'retries'
      const next = { ...settled, metrics: count(state.metrics, field) }
      return event.tree === undefined ? next : { ...next, tree: event.tree }
    }
    case 'step-finished': {
      const next = { ...settled, metrics: countFinished(state.metrics, event.step) }
      const { tree, evidence } = event
      const withTree = tree === undefined ? next : { ...next, tree }
      if (evidence === undefined) return withTree
      const { check, ...found } = evidence
      return { ...withTree, evidence: { ...state.evidence, [check]: found } }
    }
  }
}

function countFinished(metrics: Metrics, step: StepId): Metrics {
  const kind = kindOf(step)
  const byKind = { ...metrics.byKind, [kind]: (metrics.byKind[kind] ?? 0) + 1 }
  return { ...metrics, steps: metrics.steps + 1, byKind }
}

function endWait(state: RunState, step: StepId): RunState {
  if (!state.waits.includes(step)) return state
  const waits = state.waits.filter((other) => other !== step)
  return { ...state, waits, status: waits.length === 0 ? 'running' : 'waiting' }
}

/** Takes a reservation off the scale and puts what was really spent on it. */
function settle(state: RunState, id: string, spent: Amount | undefined): RunState {
  const held = state.reserved[id]
  if (held === undefined && spent === undefined) return state
  const { [id]: _settled, ...reserved } = state.reserved
  return { ...state, reserved, spent: add(state.spent, spent ?? zero) }
}

/** Nobody knows what an unfinished call cost, so it cost what it was allowed to. */
function chargeOpen(state: RunState): RunState {
  const all = committed(state)
  const open = subtract(all, state.spent)
  return open.tokens === 0 && open.costMicros === 0 && Object.keys(state.reserved).length === 0
    ? state
    : { ...state, spent: all, reserved: {} }
}

function rewound(state: RunState, event: Extract<RunEvent, { type: 'run-rewound' }>): RunState {
  const { progress, tree } = event
  return {
    ...omit(omit(omit(omit(chargeOpen(state), 'open'), 'progress'), 'lastEnding'), 'suspendedTree'),
    iteration: event.toIteration,
    begunIteration: Math.max(state.begunIteration ?? 0, state.open?.iteration ?? state.iteration),
    unchanged: 0,
    errors: initialState.errors,
    evidence: {},
    ...(progress === undefined ? {} : { progress: toJson(progress) }),
    ...(tree === undefined ? {} : { tree }),
  }
}

type Counter = Exclude<keyof Metrics, 'byKind'>

const count = (metrics: Metrics, field: Counter): Metrics => ({
  ...metrics,
  [field]: metrics[field] + 1,
})

function omit<S extends object, K extends keyof S>(state: S, key: K): Omit<S, K> {
  const { [key]: _dropped, ...rest } = state
  return rest
}
