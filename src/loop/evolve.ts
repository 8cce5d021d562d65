/**
 * The fold: computes the state after one more event. Pure and total.
 *
 * E2. What an unfinished step had reserved is charged when its iteration is abandoned or continued.
 * E5. A certificate is valid only in the iteration that it belongs to.
 * E12. No error is forgotten: counts only grow, and only measured progress resets them.
 */

import { followAttempts, resetAttempts } from './authority/attempts.ts'
import { followAttention } from './authority/attention.ts'
import { followGuidance } from './authority/follow-guidance.ts'
import { warningKey } from './authority/limit-warning.ts'
import { chargeOpen, hold, settle, spentBeforeIteration } from './authority/spending.ts'
import { evolveDecision } from './decision-evolve.ts'
import { defined } from './defined.ts'
import type {
  IterationEnded,
  IterationStarted,
  PolicyDecided,
  RecordedEvent,
  RunEvent,
  RunStarted,
  StepNoted,
  WorkspaceChanged,
} from './event.ts'
import { errorSignature } from './fault.ts'
import { type Json, toJson } from './json.ts'
import { applyPatch, isUnchanged, type Patch } from './patch.ts'
import { ended, halted, type OpenIteration, running, waiting } from './run-phase.ts'
import { initialState, type Metrics, type RunState } from './state.ts'
import { count, enter, stepSettled, stepStarted } from './step/evolve-step.ts'
import { countCall } from './tool-use.ts'

export type Occurrence = Pick<RecordedEvent, 'seq' | 'atMs' | 'event'>

/** Computes the next progress from the previous one and a patch. */
export type ApplyProgress = (previous: Json | undefined, patch: Patch) => Json

const canonicalProgress: ApplyProgress = (previous, patch) => toJson(applyPatch(previous, patch))

/**
 * The state after one more event. A caller that already knows the new progress, or that may change
 * the values it folds over, passes its own way to compute it; the result must be the same.
 */
export function evolve(
  state: RunState,
  occurrence: Occurrence,
  applyProgress: ApplyProgress = canonicalProgress,
): RunState {
  const { seq, atMs, event } = occurrence
  // The time between a crash and the next start does not count as work.
  const taken = event.type === 'run-started' || event.type === 'run-rewound'
  const worked = state.status === 'running' && !taken
  const activeMs = worked ? state.activeMs + Math.max(0, atMs - state.atMs) : state.activeMs
  const moved = { ...state, seq, atMs, activeMs }
  const after =
    event.type === 'iteration-ended'
      ? iterationEnded(chargeOpen(moved), event, applyProgress)
      : apply(moved, event)
  const attention = followAttention(after.attention, event, atMs)
  if (attention === after.attention && after.guidance.length === 0) return after
  return { ...after, attention, guidance: followGuidance(after.guidance, event) }
}

const started = (state: RunState, event: RunStarted): RunState => ({
  ...(hasOtherAgent(state, event) ? { ...state, attempts: resetAttempts(state.attempts) } : state),
  ...running(state.open, state.suspendedTree),
  sandbox: event.sandbox ?? state.sandbox,
  agent: event.agent ?? state.agent,
  checks: event.checks ?? state.checks,
  // A process that drives a run knows the rules: none means that none apply.
  policy: event.policy,
  ruling: event.policy?.digest === state.policy?.digest ? state.ruling : undefined,
})

const hasOtherAgent = ({ agent }: RunState, event: RunStarted): boolean =>
  agent !== undefined && event.agent !== undefined && agent.name !== event.agent.name

function apply(state: RunState, event: Exclude<RunEvent, { type: 'iteration-ended' }>): RunState {
  switch (event.type) {
    case 'run-created':
      return created(state, event)
    case 'run-started':
      return started(chargeOpen(state), event)
    case 'run-suspended': {
      const status = state.pauseRequested ? 'paused' : 'suspended'
      const tree = event.tree ?? state.suspendedTree
      return enter(chargeOpen(state), halted(status, state.open, tree))
    }
    case 'run-ended':
      return enter(chargeOpen(state), ended(event.outcome, state.suspendedTree))
    case 'iteration-started':
      return iterationStarted(state, event)
    case 'iteration-restarted':
      return restarted(state, event.iteration)
    case 'step-started':
      return stepStarted(state, event)
    case 'step-finished':
    case 'step-failed':
    case 'step-interrupted':
      return stepSettled(state, event)
    case 'step-noted':
      return noted(state, event)
    case 'budget-reserved':
      return hold(state, event.id, event.worst, event.role)
    case 'budget-settled':
      // A reservation that is gone was settled or charged earlier.
      return state.reserved[event.id] === undefined
        ? state
        : settle(state, event.id, event.spent, undefined)
    case 'decision-applied':
      return evolveDecision(state, event)
    case 'run-rewound':
      return rewound(state, event)
    case 'workspace-changed':
      return { ...state, tree: event.tree, ...movedBase(event) }
    case 'preflight-ended': {
      const { type: _type, ...preflight } = event
      return { ...state, preflight }
    }
    case 'policy-decided':
      return event.action === 'iterate' ? { ...state, ruling: toRuling(event) } : state
    case 'limit-warned':
      return { ...state, warned: [...state.warned, warningKey(event)] }
    case 'guidance-delivered':
    case 'preflight-noted':
    case 'warning':
    case 'loop-printed':
    case 'action-recorded':
      return state
  }
}

function noted(state: RunState, { iteration, step, note }: StepNoted): RunState {
  switch (note.type) {
    case 'tool-called':
      return { ...state, metrics: countCall(state.metrics, note) }
    case 'todo': {
      const { items, total, done } = note
      return { ...state, todo: { iteration, step, items, total, done } }
    }
    default:
      return state
  }
}

const movedBase = ({
  base,
  follows,
}: WorkspaceChanged): Partial<Pick<RunState, 'baseTree' | 'follows'>> =>
  base === undefined ? {} : { baseTree: base, ...defined({ follows }) }

function toRuling(event: PolicyDecided): RunState['ruling'] {
  const { iteration, decision, rules, reason, isMonitored, errors } = event
  return { iteration, decision, rules, ...defined({ reason, isMonitored, errors }) }
}

function iterationStarted(state: RunState, event: IterationStarted): RunState {
  const codeDigest = event.codeDigest ?? state.codeDigest
  const { seq, atMs } = state
  const open: OpenIteration =
    event.again && state.open !== undefined
      ? { ...state.open, codeDigest }
      : { iteration: event.iteration, fromSeq: seq, startedAtMs: atMs, codeDigest }
  // From here on the run changes the files itself, so the tree of the suspension is obsolete.
  const phase = running(open)
  if (event.again) return { ...state, ...phase, codeDigest }
  const begun = { ...state, ...spentBeforeIteration(state) }
  if (event.tree === undefined) return { ...begun, ...phase, codeDigest }
  const { tree } = event
  const baseTree = state.baseTree ?? tree
  return { ...begun, ...phase, codeDigest, tree, treeAtIterationStart: tree, baseTree }
}

function restarted(state: RunState, iteration: number): RunState {
  if (state.open === undefined) return state
  const { open, seq, atMs, treeAtIterationStart } = state
  const charged = chargeOpen(state)
  return {
    ...charged,
    ...spentBeforeIteration(charged),
    begunIteration: Math.max(state.begunIteration ?? 0, iteration),
    suspendedTree: undefined,
    certificate: undefined,
    open: { ...open, fromSeq: seq, startedAtMs: atMs },
    ...(treeAtIterationStart === undefined ? {} : { tree: treeAtIterationStart }),
  }
}

function created(state: RunState, event: Extract<RunEvent, { type: 'run-created' }>): RunState {
  const { loop, codeDigest, limits, source, worktree, origin, progress, iteration } = event
  const { tree, baseTree, carried, repeat, outside, schedule, preflight } = event
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
    outside,
    schedule,
    progress,
    tree,
    baseTree,
    preflight,
  }
}

/** When a person lets the run continue, its error counts start again. */
function iterationEnded(
  state: RunState,
  event: IterationEnded,
  applyProgress: ApplyProgress,
): RunState {
  const after = iterationOver(state, event, applyProgress)
  const { escalated } = event
  if (escalated === undefined || escalated.choice === 'terminate') return after
  return { ...after, errors: initialState.errors, unchanged: 0 }
}

function iterationOver(
  state: RunState,
  event: IterationEnded,
  applyProgress: ApplyProgress,
): RunState {
  const { ending } = event
  const base = { ...endWaits(state), lastEnding: ending }
  switch (ending.type) {
    case 'rate-limited': {
      const rateLimits = state.rateLimits + 1
      const refused = { ...base, rateLimits, metrics: count(state.metrics, 'rateLimits') }
      return state.open === undefined ? refused : enter(refused, waiting(state.open, []))
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

/** An iteration that counts has ended. */
function closed(state: RunState, event: IterationEnded, applyProgress: ApplyProgress): RunState {
  const patch = event.progress
  const sameProgress = patch === undefined || isUnchanged(patch)
  const sameFiles = state.tree === state.treeAtIterationStart
  const unchanged = sameProgress && sameFiles
  const { measure, escalated } = event
  const changedFiles = state.tree === undefined ? undefined : !sameFiles
  return {
    ...state,
    ...running(undefined),
    ruling: undefined,
    rateLimits: 0,
    iteration: event.iteration,
    unchanged: unchanged ? state.unchanged + 1 : 0,
    attempts: followAttempts(state.attempts, { measure, changedFiles, escalated }),
    metrics: closedMetrics(state),
    progress: patch === undefined ? state.progress : applyProgress(state.progress, patch),
  }
}

const closedMetrics = (state: RunState): Metrics => ({
  ...state.metrics,
  iterationMs: state.metrics.iterationMs + (state.atMs - (state.open?.startedAtMs ?? state.atMs)),
})

const endWaits = (state: RunState): RunState =>
  state.status === 'waiting' ? { ...state, waits: [] } : state

function rewound(state: RunState, event: Extract<RunEvent, { type: 'run-rewound' }>): RunState {
  return {
    ...leaveIteration(chargeOpen(state)),
    iteration: event.toIteration,
    begunIteration: Math.max(state.begunIteration ?? 0, state.open?.iteration ?? state.iteration),
    lastEnding: undefined,
    ruling: undefined,
    unchanged: 0,
    errors: initialState.errors,
    attempts: resetAttempts(state.attempts),
    evidence: {},
    certificate: undefined,
    progress: event.progress,
    tree: event.tree ?? state.tree,
  }
}

const leaveIteration = (state: RunState): RunState =>
  state.status === 'waiting'
    ? enter(state, running(undefined))
    : { ...state, open: undefined, suspendedTree: undefined }
