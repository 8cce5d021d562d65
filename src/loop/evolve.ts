/**
 * The fold: what is known after one more event. Pure and total.
 *
 * E2. What an unfinished step had reserved is charged when its iteration is left or entered again.
 * E5. A certificate is forgotten with the iteration that it is of.
 * E12. Nothing here forgets an error: counts only grow, and are reset only by measured progress.
 */

import { type Amount, add, zero } from './budget.ts'
import { evolveDecision } from './decision-evolve.ts'
import type {
  IterationEnded,
  RecordedEvent,
  RunEvent,
  RunStarted,
  StepFailed,
  StepFinished,
} from './event.ts'
import { keepEvidence } from './evidence.ts'
import { errorSignature } from './fault.ts'
import type { StepId } from './ids.ts'
import { type Json, toJson } from './json.ts'
import { applyPatch, isUnchanged, type Patch } from './patch.ts'
import { committed, initialState, type Metrics, type RunState } from './state.ts'
import { kindOf } from './step-name.ts'
import { countCall } from './tool-use.ts'

const none: readonly never[] = []

export type Occurrence = Pick<RecordedEvent, 'seq' | 'atMs' | 'event'>

/** How progress follows from the previous one and a patch. */
export type ApplyProgress = (previous: Json | undefined, patch: Patch) => Json

const canonicalProgress: ApplyProgress = (previous, patch) => toJson(applyPatch(previous, patch))

/**
 * The state after one more event. Whoever knows the new progress already, or folds over a long
 * history that only it holds, says how progress is made; the result must be the same.
 */
export function evolve(
  state: RunState,
  occurrence: Occurrence,
  applyProgress: ApplyProgress = canonicalProgress,
): RunState {
  const { seq, atMs, event } = occurrence
  // The time between a crash and whoever takes the run next is nobody's work.
  const taken = event.type === 'run-started' || event.type === 'run-rewound'
  const worked = state.status === 'running' && !taken
  const activeMs = worked ? state.activeMs + Math.max(0, atMs - state.atMs) : state.activeMs
  const moved = { ...state, seq, atMs, activeMs }
  if (event.type !== 'iteration-ended') return apply(moved, event)
  return iterationEnded(chargeOpen(moved), event, applyProgress)
}

const started = (state: RunState, event: RunStarted): RunState => ({
  ...state,
  status: 'running',
  waits: none,
  sandbox: event.sandbox ?? state.sandbox,
  agent: event.agent ?? state.agent,
  checks: event.checks ?? state.checks,
})

function apply(state: RunState, event: Exclude<RunEvent, { type: 'iteration-ended' }>): RunState {
  const { seq, atMs } = state
  switch (event.type) {
    case 'run-created':
      return created(state, event)
    case 'run-started':
      return started(chargeOpen(state), event)
    case 'run-suspended': {
      const status = state.pauseRequested ? 'paused' : 'suspended'
      const suspendedTree = event.tree ?? state.suspendedTree
      return { ...chargeOpen(state), status, waits: none, suspendedTree }
    }
    case 'run-ended':
      return {
        ...chargeOpen(state),
        open: undefined,
        status: event.outcome.type,
        outcome: event.outcome,
      }
    case 'iteration-started': {
      const codeDigest = event.codeDigest ?? state.codeDigest
      const open =
        event.again && state.open !== undefined
          ? { ...state.open, codeDigest }
          : { iteration: event.iteration, fromSeq: seq, startedAtMs: atMs, codeDigest }
      // From here on the run changes the files itself.
      const suspendedTree = undefined
      if (event.again || event.tree === undefined) {
        return { ...state, status: 'running', codeDigest, open, suspendedTree }
      }
      const { tree } = event
      const baseTree = state.baseTree ?? tree
      const files = { tree, treeAtIterationStart: tree, baseTree, suspendedTree }
      return { ...state, status: 'running', codeDigest, open, ...files }
    }
    case 'iteration-restarted':
      return restarted(state, event.iteration)
    case 'step-started':
      return stepStarted(state, event)
    case 'step-finished':
    case 'step-failed':
    case 'step-interrupted':
      return stepSettled(state, event)
    case 'step-noted':
      return event.note.type === 'tool-called'
        ? { ...state, metrics: countCall(state.metrics, event.note) }
        : state
    case 'budget-reserved':
      return { ...state, reserved: { ...state.reserved, [event.id]: event.worst } }
    case 'budget-settled':
      // One that is not there any more was settled or charged before.
      return state.reserved[event.id] === undefined ? state : settle(state, event.id, event.spent)
    case 'decision-applied':
      return evolveDecision(state, event)
    case 'run-rewound':
      return rewound(state, event)
    case 'workspace-changed':
      return { ...state, tree: event.tree }
    case 'preflight-ended': {
      const { type: _type, ...preflight } = event
      return { ...state, preflight }
    }
    case 'preflight-noted':
    case 'warning':
      return state
  }
}

function restarted(state: RunState, iteration: number): RunState {
  const { open, seq, atMs, treeAtIterationStart } = state
  if (open === undefined) return state
  return {
    ...chargeOpen(state),
    begunIteration: Math.max(state.begunIteration ?? 0, iteration),
    suspendedTree: undefined,
    certificate: undefined,
    open: { ...open, fromSeq: seq, startedAtMs: atMs },
    ...(treeAtIterationStart === undefined ? {} : { tree: treeAtIterationStart }),
  }
}

function created(state: RunState, event: Extract<RunEvent, { type: 'run-created' }>): RunState {
  const { loop, codeDigest, limits, source, worktree, origin, progress, iteration } = event
  const { tree, baseTree, carried, repeat, preflight } = event
  return {
    ...state,
    createdAtMs: state.atMs,
    loop,
    codeDigest,
    limits,
    iteration: iteration ?? 0,
    ...carried,
    source,
    worktree,
    origin,
    repeat,
    progress,
    tree,
    baseTree,
    preflight,
  }
}

function iterationEnded(
  state: RunState,
  event: IterationEnded,
  applyProgress: ApplyProgress,
): RunState {
  const { ending } = event
  const base = { ...state, lastEnding: ending, waits: none }
  switch (ending.type) {
    case 'rate-limited':
      return {
        ...base,
        status: 'waiting',
        rateLimits: state.rateLimits + 1,
        metrics: count(state.metrics, 'rateLimits'),
      }
    case 'interrupted':
      return { ...base, metrics: count(state.metrics, 'interruptions') }
    case 'error': {
      const signature = errorSignature(ending.fault)
      const again = signature === state.errors.signature
      return {
        ...closed(base, event, applyProgress),
        errors: { signature, times: again ? state.errors.times + 1 : 1 },
        metrics: count(closedMetrics(state), 'iterationErrors'),
      }
    }
    case 'continue':
    case 'complete':
      return { ...closed(base, event, applyProgress), errors: initialState.errors }
  }
}

/** An iteration that counts is over. */
function closed(state: RunState, event: IterationEnded, applyProgress: ApplyProgress): RunState {
  const patch = event.progress
  const sameProgress = patch === undefined || isUnchanged(patch)
  const unchanged = sameProgress && state.tree === state.treeAtIterationStart
  return {
    ...state,
    open: undefined,
    rateLimits: 0,
    iteration: event.iteration,
    unchanged: unchanged ? state.unchanged + 1 : 0,
    metrics: closedMetrics(state),
    progress: patch === undefined ? state.progress : applyProgress(state.progress, patch),
  }
}

const closedMetrics = (state: RunState): Metrics => ({
  ...state.metrics,
  iterationMs: state.metrics.iterationMs + (state.atMs - (state.open?.startedAtMs ?? state.atMs)),
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
      const metrics = count(state.metrics, field)
      return { ...settled, metrics, tree: event.tree ?? settled.tree }
    }
    case 'step-finished': {
      const metrics = countFinished(state.metrics, event.step)
      const tree = event.tree ?? settled.tree
      const { certificate: issued, iteration } = event
      const certificate = issued === undefined ? state.certificate : { ...issued, iteration }
      const allows = event.allows ?? state.allows
      if (event.evidence === undefined) return { ...settled, metrics, tree, certificate, allows }
      const { check, ...answer } = event.evidence
      // Once it has contradicted itself, it is not to be relied on in this run.
      const wasFlaky = Object.hasOwn(state.evidence, check) && state.evidence[check]?.flaky
      const found = wasFlaky === true ? { ...answer, flaky: wasFlaky } : answer
      const evidence = { ...state.evidence, [check]: found }
      const kept = Object.hasOwn(state.answers, check) ? state.answers[check] : undefined
      const answers = { ...state.answers, [check]: keepEvidence(kept, found, state.seq) }
      return { ...settled, metrics, tree, certificate, evidence, answers }
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
  if (Object.keys(state.reserved).length === 0) return state
  return { ...state, spent: committed(state), reserved: {} }
}

function rewound(state: RunState, event: Extract<RunEvent, { type: 'run-rewound' }>): RunState {
  return {
    ...chargeOpen(state),
    iteration: event.toIteration,
    begunIteration: Math.max(state.begunIteration ?? 0, state.open?.iteration ?? state.iteration),
    open: undefined,
    lastEnding: undefined,
    suspendedTree: undefined,
    unchanged: 0,
    errors: initialState.errors,
    evidence: {},
    certificate: undefined,
    progress: event.progress,
    tree: event.tree ?? state.tree,
  }
}

type Counter = Exclude<keyof Metrics, 'byKind' | 'tools'>

const count = (metrics: Metrics, field: Counter): Metrics => ({
  ...metrics,
  [field]: metrics[field] + 1,
})
