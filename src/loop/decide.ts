/**
 * What a run does next. Pure and total: the same state and time always give the same command.
 *
 * E5. Only a certificate completes a run: one from its last iteration for the current files, or one
 * of an earlier run that did the same task, verified again. A run whose loop has its work certified by itself, and that
 * changed no file, has nothing to certify.
 *
 * A success takes precedence over a limit that is reached at the same time. Limits are checked here
 * before an iteration starts, never in the middle of one; the engine enforces money limits at each
 * reservation and time limits by interrupting.
 */

import { isDenied } from './authority/policy.ts'
import { findReachedLimit } from './budget.ts'
import { isCertified, isUnchanged } from './certified.ts'
import { readLimit } from './earlier-journals.ts'
import type { Met } from './event.ts'
import type { Fault } from './fault.ts'
import type { LimitName, Outcome } from './outcome.ts'
import type { RunState } from './state.ts'

export type Command =
  | { readonly type: 'iterate'; readonly iteration: number; readonly again: boolean }
  /** Ask the policy about this iteration, and record its answer. */
  | { readonly type: 'ask-policy'; readonly iteration: number }
  | { readonly type: 'wait'; readonly untilMs: number; readonly why: string }
  | { readonly type: 'suspend'; readonly reason: 'paused' }
  | { readonly type: 'finish'; readonly outcome: Outcome }

export function decide(state: RunState, nowMs: number): Command {
  if (state.outcome !== undefined) return finish(state.outcome)
  if (state.cancel !== undefined) return finish({ type: 'cancelled', ...state.cancel })
  const ended = endedByPreflight(state) ?? endedBy(state) ?? endedByRefusals(state)
  if (ended !== undefined) return finish(ended)
  if (state.stop !== undefined && !isUnderWay(state)) {
    return finish({ type: 'stopped', ...state.stop })
  }
  const limit = limitReached(state, nowMs)
  if (limit !== undefined) {
    return finish({ type: 'exhausted', limit, condition: `limits.${limit}` })
  }
  if (state.pauseRequested) return { type: 'suspend', reason: 'paused' }
  const { lastEnding, open } = state
  if (open !== undefined && lastEnding?.type === 'rate-limited' && lastEnding.retryAtMs > nowMs) {
    const deadline = state.limits.deadlineAtMs ?? Number.POSITIVE_INFINITY
    const untilMs = Math.min(lastEnding.retryAtMs, deadline)
    return { type: 'wait', untilMs, why: lastEnding.message }
  }
  if (open !== undefined) return { type: 'iterate', iteration: open.iteration, again: true }
  return startNext(state)
}

/** A policy is asked before each new iteration; its answer is in the state. */
function startNext({ iteration: last, policy, ruling }: RunState): Command {
  const iteration = last + 1
  if (policy !== undefined) {
    if (ruling?.iteration !== iteration) return { type: 'ask-policy', iteration }
    if (isDenied(ruling)) {
      const { rules, reason = 'no rule permits the next iteration' } = ruling
      return finish({ type: 'denied', rules, reason })
    }
  }
  return { type: 'iterate', iteration, again: false }
}

/** No work of an agent could change this. */
function endedByPreflight({ preflight }: RunState): Outcome | undefined {
  return preflight?.fault === undefined
    ? undefined
    : { type: 'failed', fault: preflight.fault, preflight: true }
}

/** The outcome that follows from the last iteration alone. */
function endedBy(state: RunState): Outcome | undefined {
  const ending = state.lastEnding
  if (ending === undefined || state.open !== undefined) return undefined
  if (ending.type === 'complete') return outcomeOf(ending.met, state)
  if (ending.type !== 'error') return undefined
  if (!ending.recoverable) return { type: 'failed', fault: ending.fault }
  if (ending.met !== undefined) return outcomeOf(ending.met, state)
  const { limit, agent } = ending.fault
  if (limit !== undefined) {
    const name = agent === undefined ? limit : `agents.${agent}.${limit}`
    return { type: 'exhausted', limit, condition: `limits.${name}` }
  }
  const { errors, limits } = state
  if (errors.times < limits.sameErrors) return undefined
  const detail = `${errors.times} times in a row: ${errors.signature}`
  return { type: 'stuck', condition: 'limits.same-errors', detail }
}

/** The number of rate limits in a row is bounded, so a run does not wait forever (E9). */
const rateLimitsMax = 100

function endedByRefusals({ rateLimits }: RunState): Outcome | undefined {
  if (rateLimits < rateLimitsMax) return undefined
  const detail = `a provider rate-limited the run ${rateLimits} times in a row`
  return { type: 'stuck', condition: 'limits.rate-limits', detail }
}

function outcomeOf(met: Met, state: RunState): Outcome {
  switch (met.ends) {
    case 'completed': {
      const { condition, earlier, byLoop } = met
      if (earlier !== undefined) return { type: 'completed', condition, earlier }
      return isCertified(state) || (byLoop === 'unchanged' && isUnchanged(state))
        ? { type: 'completed', condition }
        : { type: 'failed', fault: notCertified(condition) }
    }
    case 'stuck':
      return { type: 'stuck', condition: met.condition, detail: met.detail ?? '' }
    case 'exhausted':
      return { type: 'exhausted', limit: readLimit(met), condition: met.condition }
  }
}

/** Unreachable for journals this engine wrote. */
const notCertified = (condition: string): Fault => ({
  code: 'not-certified',
  message:
    `"${condition}" is met, but there is no certificate for the current files. ` +
    'To certify them, fork the run from its last checkpoint.',
  retryable: false,
  fatal: true,
})

/** An interrupted iteration is not done: a request to stop waits until it ends. */
const isUnderWay = (state: RunState): boolean => state.open !== undefined

function limitReached(state: RunState, nowMs: number): LimitName | undefined {
  const { limits, spent } = state
  if (limits.deadlineAtMs !== undefined && nowMs >= limits.deadlineAtMs) return 'deadline'
  if (state.activeMs >= limits.timeMs) return 'time'
  // An open iteration is continued even if it is the last one allowed.
  if (state.open !== undefined) return undefined
  if (state.iteration >= limits.iterations) return 'iterations'
  return findReachedLimit(limits, spent)
}

const finish = (outcome: Outcome): Command => ({ type: 'finish', outcome })
