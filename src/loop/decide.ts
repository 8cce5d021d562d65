/**
 * What a run does next. Pure and total: the same state and time always give the same command.
 *
 * E5. A run is completed only by a certificate: of its last iteration, on the files as they are, or of an
 * earlier run that did the same task, verified again.
 *
 * A success that was reached counts before a limit that was reached with it. Limits are read before
 * an iteration is started, never in the middle of one; the engine holds the money limits at each
 * reservation and the time limits by interrupting.
 */

import { readLimit } from './earlier-journals.ts'
import type { Met } from './event.ts'
import type { Fault } from './fault.ts'
import type { LimitName, Outcome } from './outcome.ts'
import type { RunState } from './state.ts'

export type Command =
  | { readonly type: 'iterate'; readonly iteration: number; readonly again: boolean }
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
  return { type: 'iterate', iteration: state.iteration + 1, again: false }
}

/** Nothing that an agent could do would change it. */
function endedByPreflight({ preflight }: RunState): Outcome | undefined {
  return preflight?.fault === undefined
    ? undefined
    : { type: 'failed', fault: preflight.fault, preflight: true }
}

/** The outcome that the last iteration itself calls for. */
function endedBy(state: RunState): Outcome | undefined {
  const ending = state.lastEnding
  if (ending === undefined || state.open !== undefined) return undefined
  if (ending.type === 'complete') return outcomeOf(ending.met, state)
  if (ending.type !== 'error') return undefined
  if (!ending.recoverable) return { type: 'failed', fault: ending.fault }
  if (ending.met !== undefined) return outcomeOf(ending.met, state)
  const { limit } = ending.fault
  if (limit !== undefined) {
    return { type: 'exhausted', limit, condition: `limits.${limit}` }
  }
  const { errors, limits } = state
  if (errors.times < limits.sameErrors) return undefined
  const detail = `${errors.times} times in a row: ${errors.signature}`
  return { type: 'stuck', condition: 'limits.same-errors', detail }
}

/** A provider that says "not now" for ever is not waited for for ever (E9). */
const rateLimitsMax = 100

function endedByRefusals({ rateLimits }: RunState): Outcome | undefined {
  if (rateLimits < rateLimitsMax) return undefined
  const detail = `a provider said "not now" ${rateLimits} times in a row`
  return { type: 'stuck', condition: 'limits.rate-limits', detail }
}

function outcomeOf(met: Met, state: RunState): Outcome {
  switch (met.ends) {
    case 'completed': {
      const { condition, earlier } = met
      if (earlier !== undefined) return { type: 'completed', condition, earlier }
      return isCertified(state)
        ? { type: 'completed', condition }
        : { type: 'failed', fault: notCertified(condition) }
    }
    case 'stuck':
      return { type: 'stuck', condition: met.condition, detail: met.detail ?? '' }
    case 'exhausted':
      return { type: 'exhausted', limit: readLimit(met), condition: met.condition }
  }
}

/** Only of the last iteration, and only while the files are those that it is about. */
const isCertified = ({ certificate, iteration, tree }: RunState): boolean =>
  certificate !== undefined && certificate.iteration === iteration && certificate.tree === tree

/** Nothing that the engine writes comes to this. */
const notCertified = (condition: string): Fault => ({
  code: 'not-certified',
  message:
    `"${condition}" is met, and there is no certificate of the files as they are. ` +
    'Fork the run from its last checkpoint to have them certified.',
  retryable: false,
  fatal: true,
})

/** An iteration that was only interrupted is not done: a wish to stop waits for its end. */
const isUnderWay = (state: RunState): boolean => state.open !== undefined

function limitReached(state: RunState, nowMs: number): LimitName | undefined {
  const { limits, spent } = state
  if (limits.deadlineAtMs !== undefined && nowMs >= limits.deadlineAtMs) return 'deadline'
  if (state.activeMs >= limits.timeMs) return 'time'
  // An open iteration is entered again even when it is the last one allowed.
  if (state.open !== undefined) return undefined
  if (state.iteration >= limits.iterations) return 'iterations'
  if (spent.tokens >= limits.tokens) return 'tokens'
  if (spent.costMicros >= limits.costMicros) return 'cost'
  return undefined
}

const finish = (outcome: Outcome): Command => ({ type: 'finish', outcome })
