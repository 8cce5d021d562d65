/** The findings of an agent's trial, in the order in which things can go wrong. */

import type { DriveEnd } from '../../engine/index.ts'
import {
  type AgentEnd,
  type AgentReport,
  type Amount,
  describeOutcome,
  parseStepKind,
  type RecordedEvent,
  type StepId,
} from '../../loop/index.ts'

export interface Finding {
  readonly name: FindingName
  /** Undefined: not reached, or not relevant for this agent. */
  readonly ok: boolean | undefined
  readonly text: string
}

export type FindingName =
  | 'found'
  | 'sandbox'
  | 'key'
  | 'starts'
  | 'model'
  | 'file'
  | 'check'
  | 'end'
  | 'usage'

/** Collected while it works. */
export interface Observations {
  notes: number
  exchanges: number
  answers: number
  models: Set<string>
  lastExchange: string | undefined
  report: AgentReport | undefined
  fault: { readonly code: string; readonly message: string } | undefined
  checkOutput: string | undefined
}

export const createObservations = (): Observations => ({
  notes: 0,
  exchanges: 0,
  answers: 0,
  models: new Set(),
  lastExchange: undefined,
  report: undefined,
  fault: undefined,
  checkOutput: undefined,
})

const isAgentStep = (step: StepId): boolean => parseStepKind(step) === 'agent'

export function observe(seen: Observations, { event }: RecordedEvent): void {
  if (event.type === 'step-noted' && isAgentStep(event.step)) {
    seen.notes++
    if (event.note.type !== 'exchanged') return
    seen.exchanges++
    seen.lastExchange = event.note.ended
    seen.models.add(event.note.model)
    if (event.note.ended === 'complete') seen.answers++
  } else if (event.type === 'step-failed' && isAgentStep(event.step)) {
    seen.fault = event.fault
  } else if (event.type === 'step-finished' && isAgentStep(event.step)) {
    const { result } = event
    // Reports are short, so they are in the event itself.
    if (result !== undefined && 'value' in result) {
      seen.report = result.value as unknown as AgentReport
    }
  }
}

export interface TrialEnd {
  readonly seen: Observations
  readonly end: DriveEnd
  readonly isChanged: boolean
  readonly spent: Amount
  /** It uses models, so there is something to meter. */
  readonly usesModels: boolean
}

export function listFindings(ended: TrialEnd): readonly Finding[] {
  const { seen, end, isChanged, usesModels } = ended
  const isDone = end.type === 'ended' && end.outcome.type === 'completed'
  return [
    startFinding(seen),
    ...(usesModels ? [modelFinding(seen)] : []),
    {
      name: 'file',
      ok: isChanged,
      text: isChanged ? 'sum.js was changed' : 'sum.js was not changed',
    },
    {
      name: 'check',
      ok: isDone,
      text: isDone
        ? 'node --test passes'
        : `node --test does not pass: the run ${end.type === 'ended' ? `ended as ${describeOutcome(end.outcome)}` : `was interrupted (${end.reason})`}`,
    },
    endFinding(seen),
    ...(usesModels ? [usageFinding(ended)] : []),
  ]
}

function startFinding({ notes, report, fault }: Observations): Finding {
  const isStarted = notes > 0 || report !== undefined
  if (isStarted && fault?.code !== 'agent-not-started') {
    return { name: 'starts', ok: true, text: 'it starts' }
  }
  return { name: 'starts', ok: false, text: fault?.message ?? 'it reported nothing' }
}

function modelFinding({ exchanges, answers, models, lastExchange, fault }: Observations): Finding {
  if (answers > 0) {
    const which = [...models].slice(0, 5).join(', ')
    return { name: 'model', ok: true, text: `${which} answered ${answers} of ${exchanges} times` }
  }
  const why =
    exchanges === 0
      ? 'it sent no request to a model through the gateway'
      : `no answer was complete (${lastExchange ?? 'none'})`
  return { name: 'model', ok: false, text: fault === undefined ? why : `${why}: ${fault.message}` }
}

const endTexts: Readonly<Record<AgentEnd, string>> = {
  claimed: 'it ended and reported that it is done',
  'no-result': 'it ended without reporting a result',
  idle: 'it was inactive for too long and was stopped',
  lingered: 'it reported its result but did not exit, and was stopped',
  limit: 'it reached its own limit',
  refused: 'it tried something that is not allowed',
  provider: 'its model failed',
  interrupted: 'a signal ended it',
  crashed: 'it failed',
  time: 'it took too long',
}

function endFinding({ report, fault }: Observations): Finding {
  if (report === undefined) {
    return { name: 'end', ok: false, text: fault?.message ?? 'it did not report' }
  }
  const { ended, status } = report
  const ok = ended === undefined ? status.startsWith('done') : ended === 'claimed'
  const words = ended === undefined ? `it reports ${status}` : endTexts[ended]
  const more = ok ? '' : `: ${(report.text.trim().split('\n')[0] ?? '').slice(0, 500)}`
  return { name: 'end', ok, text: `${words}${more}` }
}

function usageFinding({ seen, spent: { tokens, costMicros } }: TrialEnd): Finding {
  const cost = `$${(costMicros / 1_000_000).toFixed(4)}`
  if (tokens > 0) return { name: 'usage', ok: true, text: `${tokens} tokens, ${cost}` }
  const ok = seen.answers === 0 ? undefined : false
  return { name: 'usage', ok, text: 'nothing was metered' }
}
