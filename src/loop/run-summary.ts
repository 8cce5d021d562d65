/**
 * What a list shows of a run besides its row: computed from its state, small and bounded (E9), so that a store can
 * keep it beside the run and a list of thousands of runs folds none of them.
 *
 * E12. What turned worse in the last iteration is named.
 */

import type { Amount, Limits } from './budget.ts'
import { defined } from './defined.ts'
import type { CertificateId } from './ids.ts'
import { describeOutcome, type OutcomeType } from './outcome.ts'
import { listRunChecks, type RunCheck } from './run-checks.ts'
import type { RunState } from './state.ts'

export interface StateSummary {
  readonly spent: Amount
  readonly limits: Limits
  readonly activeMs: number
  readonly checks: ChecksSummary
  /** The last iterations, oldest first. */
  readonly points: readonly IterationPoint[]
  /** The checks that were met after the last of them. */
  readonly metThen: readonly string[]
  /** The open iteration. */
  readonly open?: { readonly iteration: number; readonly startedAtMs: number }
  /** It waits for a provider until this time. */
  readonly limitedUntilMs?: number
  readonly outcome?: { readonly type: OutcomeType; readonly text: string }
  readonly certificate?: {
    readonly id: CertificateId
    /** It is about the current files. */
    readonly isCurrent: boolean
  }
  /** The name of its agent. */
  readonly agent?: string
  readonly sandbox?: 'strong' | 'basic' | 'none'
  readonly branch?: string
  readonly schedule?: string
  /** The todo list of its agent. */
  readonly todo?: { readonly done: number; readonly of: number }
  /** Iterations in a row that changed nothing, and that ended with the same error. */
  readonly unchanged: number
  readonly sameErrors: number
  readonly pauseRequested?: true
}

export interface ChecksSummary {
  readonly of: number
  /** By their last result. */
  readonly met: number
  /** Checks that have not run on the current files. */
  readonly pending: number
  /** The names of those that are not met, the first of many. */
  readonly notMet: readonly string[]
  /** Met after the iteration before the last one, and not met after the last one. */
  readonly worse: readonly string[]
}

/** After an iteration: what the run had spent, and how many checks were met. */
export interface IterationPoint {
  readonly iteration: number
  readonly costMicros: number
  readonly tokens: number
  readonly met: number
}

const pointsMax = 30
const namesMax = 8
const metNamesMax = 50
const nameCharsMax = 100
const textCharsMax = 300

/** `before`: the summary of an earlier state of the run, if it is known. */
export function summarizeState(state: RunState, before?: StateSummary): StateSummary {
  const { spent, limits, activeMs, open, outcome, certificate, worktree, schedule, todo } = state
  const limited = state.lastEnding?.type === 'rate-limited' && state.status === 'waiting'
  return {
    spent,
    limits,
    activeMs,
    unchanged: state.unchanged,
    sameErrors: state.errors.times,
    ...summarizeProgress(state, before),
    ...defined({
      open: open && { iteration: open.iteration, startedAtMs: open.startedAtMs },
      limitedUntilMs:
        limited && state.lastEnding?.type === 'rate-limited'
          ? state.lastEnding.retryAtMs
          : undefined,
      outcome: outcome && {
        type: outcome.type,
        text: describeOutcome(outcome).slice(0, textCharsMax),
      },
      certificate: certificate && {
        id: certificate.id,
        isCurrent: certificate.tree === state.tree && certificate.iteration === state.iteration,
      },
      agent: state.agent?.name,
      sandbox: state.sandbox?.tier,
      branch: worktree?.branch,
      schedule: schedule?.name,
      todo: todo && { done: todo.done, of: todo.total },
      pauseRequested: state.pauseRequested ? (true as const) : undefined,
    }),
  }
}

function summarizeProgress(
  state: RunState,
  before: StateSummary | undefined,
): Pick<StateSummary, 'checks' | 'points' | 'metThen'> {
  const all = listRunChecks(state, state.tree)
  const met = all.filter(({ last }) => last?.status === 'met')
  const notMet = all.filter(({ last }) => last !== undefined && last.status !== 'met')
  const checks = {
    of: all.length,
    met: met.length,
    pending: all.filter(({ status }) => status === 'pending').length,
    notMet: namesOf(notMet, namesMax),
  }
  const { iteration } = state
  const points = pointsUntil(iteration, before?.points ?? [])
  if (iteration === 0 || points.at(-1)?.iteration === iteration) {
    const { worse = [] } = before?.checks ?? {}
    return { checks: { ...checks, worse }, points, metThen: before?.metThen ?? [] }
  }
  // An iteration has ended since, and its checks have run.
  const was = new Set(before?.metThen)
  const worse = notMet.filter(({ check }) => was.has(cut(check)))
  const { costMicros, tokens } = state.spent
  return {
    checks: { ...checks, worse: namesOf(worse, namesMax) },
    points: [...points, { iteration, costMicros, tokens, met: met.length }].slice(-pointsMax),
    metThen: namesOf(met, metNamesMax),
  }
}

/** The same list if there is nothing to leave out, so that a store can tell that it did not change. */
const pointsUntil = (
  iteration: number,
  points: readonly IterationPoint[],
): readonly IterationPoint[] =>
  (points.at(-1)?.iteration ?? 0) <= iteration
    ? points
    : points.filter((point) => point.iteration <= iteration)

const cut = (text: string): string => text.slice(0, nameCharsMax)

const namesOf = (checks: readonly RunCheck[], max: number): readonly string[] =>
  checks.slice(0, max).map(({ check }) => cut(check))
