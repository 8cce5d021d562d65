/** What was seen of an agent at its trial, in the order in which things can go wrong. */

import type { DriveEnd } from '../../engine/index.ts'
import {
  type AgentEnd,
  type AgentReport,
  type Amount,
  describeOutcome,
  kindOf,
  type RecordedEvent,
  type StepId,
} from '../../loop/index.ts'

export interface Finding {
  readonly name: FindingName
  /** Undefined: it did not come to that, or says nothing about this agent. */
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

/** Gathered while it works. */
export interface Seen {
  notes: number
  exchanges: number
  answers: number
  models: Set<string>
  lastExchange: string | undefined
  report: AgentReport | undefined
  fault: { readonly code: string; readonly message: string } | undefined
  checkOutput: string | undefined
}

export const nothingSeen = (): Seen => ({
  notes: 0,
  exchanges: 0,
  answers: 0,
  models: new Set(),
  lastExchange: undefined,
  report: undefined,
  fault: undefined,
  checkOutput: undefined,
})

const isAgentStep = (step: StepId): boolean => kindOf(step) === 'agent'

export function see(seen: Seen, { event }: RecordedEvent): void {
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

export interface Ended {
  readonly seen: Seen
  readonly end: DriveEnd
  readonly isChanged: boolean
  readonly spent: Amount
  /** It asks models, so that there is something to meter. */
  readonly asksModels: boolean
}

export function findingsOf(ended: Ended): readonly Finding[] {
  const { seen, end, isChanged, asksModels } = ended
  const isDone = end.type === 'ended' && end.outcome.type === 'completed'
  return [
    startFinding(seen),
    ...(asksModels ? [modelFinding(seen)] : []),
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
        : `node --test does not pass: the run ${end.type === 'ended' ? `ended as ${describeOutcome(end.outcome)}` : `was left (${end.reason})`}`,
    },
    endFinding(seen),
    ...(asksModels ? [usageFinding(ended)] : []),
  ]
}

function startFinding({ notes, report, fault }: Seen): Finding {
  const isStarted = notes > 0 || report !== undefined
  if (isStarted && fault?.code !== 'agent-not-started') {
    return { name: 'starts', ok: true, text: 'it starts' }
  }
  return { name: 'starts', ok: false, text: fault?.message ?? 'nothing was heard of it' }
}

function modelFinding({ exchanges, answers, models, lastExchange, fault }: Seen): Finding {
  if (answers > 0) {
    const which = [...models].slice(0, 5).join(', ')
    return { name: 'model', ok: true, text: `${which} answered ${answers} of ${exchanges} times` }
  }
  const why =
    exchanges === 0
      ? 'it asked no model through the gateway'
      : `no answer was complete (${lastExchange ?? 'none'})`
  return { name: 'model', ok: false, text: fault === undefined ? why : `${why}: ${fault.message}` }
}

const endWords: Readonly<Record<AgentEnd, string>> = {
  claimed: 'it ended by itself and says that it is done',
  'no-result': 'it ended and said nothing of a result',
  idle: 'it was silent too long and had to be ended',
  lingered: 'it had its result and had to be ended',
  limit: 'it met a limit of its own',
  refused: 'something that it wanted to do was not allowed',
  provider: 'its model failed',
  interrupted: 'it was ended by a signal',
  crashed: 'it failed',
  time: 'it took too long',
}

function endFinding({ report, fault }: Seen): Finding {
  if (report === undefined) {
    return { name: 'end', ok: false, text: fault?.message ?? 'it has not reported' }
  }
  const { ended, status } = report
  const ok = ended === undefined ? status.startsWith('done') : ended === 'claimed'
  const words = ended === undefined ? `it reports ${status}` : endWords[ended]
  const more = ok ? '' : `: ${(report.text.trim().split('\n')[0] ?? '').slice(0, 500)}`
  return { name: 'end', ok, text: `${words}${more}` }
}

function usageFinding({ seen, spent: { tokens, costMicros } }: Ended): Finding {
  const cost = `$${(costMicros / 1_000_000).toFixed(4)}`
  if (tokens > 0) return { name: 'usage', ok: true, text: `${tokens} tokens, ${cost}` }
  const ok = seen.answers === 0 ? undefined : false
  return { name: 'usage', ok, text: 'nothing was metered' }
}
