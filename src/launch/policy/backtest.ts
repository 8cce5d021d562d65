/** What a policy would have done to past runs: what it would have stopped, saved, and wrongly blocked. */

import type { Policy, Store } from '../../engine/index.ts'
import { defined, isDenied, type Outcome, type RunId } from '../../loop/index.ts'
import { type CountFiles, replayRequests } from './replay-requests.ts'

/** What a run spent after the moment at which it would have been stopped. */
export interface Saved {
  readonly iterations: number
  readonly tokens: number
  readonly costMicros: number
  readonly activeMs: number
}

/** A run that the policy would have changed. */
export interface BacktestedRun {
  readonly id: RunId
  readonly name: string
  readonly loop: string
  /** Absent: it has not ended. */
  readonly outcome?: Outcome['type']
  /** The iteration that would have been denied. Absent: the run would have continued to its end. */
  readonly stopped?: {
    readonly iteration: number
    readonly rules: readonly string[]
    readonly reason?: string
    readonly saved: Saved
    /** It completed with a certificate, and would not have. */
    readonly isWronglyBlocked: boolean
  }
  /** Tool calls and actions that would have been denied before that, by what and by rule. */
  readonly denied: readonly DeniedCalls[]
}

export interface DeniedCalls {
  readonly action: 'callTool' | 'callToolUnattended' | 'act'
  readonly resource: string
  readonly rules: readonly string[]
  readonly times: number
}

export interface Backtest {
  readonly runs: number
  readonly stopped: number
  readonly wronglyBlocked: number
  /** Tool calls and actions that would have been denied. */
  readonly denied: number
  readonly saved: Saved
  /** Runs that the policy would have changed, newest first. */
  readonly changed: readonly BacktestedRun[]
}

export interface BacktestOptions {
  /** Needed for rules about changed files. Absent: they see none. */
  readonly countFiles?: CountFiles
  readonly signal?: AbortSignal
}

const nothing: Saved = { iterations: 0, tokens: 0, costMicros: 0, activeMs: 0 }

const runsMax = 100_000

export async function backtest(
  journal: Pick<Store, 'listRuns' | 'read'>,
  policy: Policy,
  { countFiles, signal }: BacktestOptions = {},
): Promise<Backtest> {
  const changed: BacktestedRun[] = []
  let runs = 0
  for (const row of await journal.listRuns({ limit: runsMax })) {
    signal?.throwIfAborted()
    const events = await journal.read(row.id)
    const [created] = events
    // A replay spends nothing.
    if (created?.event.type !== 'run-created' || created.event.origin?.type === 'replay') continue
    runs += 1
    const { id, name, loop } = row
    const found = await backtestRun(id, events, policy, countFiles)
    if (found.stopped !== undefined || found.denied.length > 0) {
      changed.push({ id, name, loop, ...found })
    }
  }
  const stopped = changed.flatMap((run) => run.stopped ?? [])
  return {
    runs,
    stopped: stopped.length,
    wronglyBlocked: stopped.filter(({ isWronglyBlocked }) => isWronglyBlocked).length,
    denied: changed.flatMap((run) => run.denied).reduce((sum, { times }) => sum + times, 0),
    saved: stopped.map(({ saved }) => saved).reduce(addSaved, nothing),
    changed,
  }
}

type Stop = Omit<NonNullable<BacktestedRun['stopped']>, 'saved' | 'isWronglyBlocked'> & {
  readonly before: Saved
}

type Found = Pick<BacktestedRun, 'outcome' | 'stopped' | 'denied'>

async function backtestRun(
  run: RunId,
  events: Parameters<typeof replayRequests>[1],
  policy: Policy,
  countFiles: CountFiles | undefined,
): Promise<Found> {
  const denied = new Map<string, DeniedCalls>()
  const stops: Stop[] = []
  const last = await replayRequests(run, events, countFiles, ({ request, state }) => {
    const ruling = policy.judge(request)
    if (!isDenied(ruling)) return true
    const { rules, reason } = ruling
    const { action, tool, actionKind } = request
    if (action === 'iterate') {
      const before = spentIn(state)
      stops.push({ iteration: request.context.iteration, rules, ...defined({ reason }), before })
      return false
    }
    const resource = tool?.name ?? actionKind ?? ''
    const key = JSON.stringify([action, resource, rules])
    const times = (denied.get(key)?.times ?? 0) + 1
    denied.set(key, { action, resource, rules, times })
    return true
  })
  const outcome = last.outcome?.type
  const found = { ...defined({ outcome }), denied: [...denied.values()] }
  const [stop] = stops
  if (stop === undefined) return found
  const { before, ...stopped } = stop
  const saved = subtractSaved(spentIn(last), before)
  return { ...found, stopped: { ...stopped, saved, isWronglyBlocked: outcome === 'completed' } }
}

const spentIn = ({
  iteration,
  spent,
  activeMs,
}: Awaited<ReturnType<typeof replayRequests>>): Saved => ({
  iterations: iteration,
  tokens: spent.tokens,
  costMicros: spent.costMicros,
  activeMs: Math.round(activeMs),
})

const addSaved = (a: Saved, b: Saved): Saved => ({
  iterations: a.iterations + b.iterations,
  tokens: a.tokens + b.tokens,
  costMicros: a.costMicros + b.costMicros,
  activeMs: a.activeMs + b.activeMs,
})

const subtractSaved = (a: Saved, b: Saved): Saved => ({
  iterations: Math.max(0, a.iterations - b.iterations),
  tokens: Math.max(0, a.tokens - b.tokens),
  costMicros: Math.max(0, a.costMicros - b.costMicros),
  activeMs: Math.max(0, a.activeMs - b.activeMs),
})
