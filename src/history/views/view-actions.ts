/** What a run did outside of its workspace, from its events. */

import { load } from '../../engine/index.ts'
import {
  type ActionRecorded,
  type Answer,
  defined,
  type GateRecord,
  parseStepId,
  type Receipt,
  type RecordedEvent,
  type RunEvent,
  type RunId,
  readStep,
  type StepId,
} from '../../loop/index.ts'
import type { ActionEntry, ActionFact } from '../../protocol/api/index.ts'
import type { RecordSource } from './record-source.ts'

type Draft = { -readonly [Key in keyof ActionEntry]: ActionEntry[Key] }

const types = ['step-started', 'step-finished', 'step-failed', 'action-recorded'] as const
const pageSize = 1000

/** In the order in which they were proposed. */
export async function viewActions(
  source: RecordSource,
  run: RunId,
): Promise<readonly ActionEntry[]> {
  const view = createView(source)
  let afterSeq = 0
  for (;;) {
    const page = await source.journal.read(run, { afterSeq, types, limit: pageSize })
    for (const recorded of page) await view.take(recorded)
    if (page.length < pageSize) return view.entries
    afterSeq = page.at(-1)?.seq ?? afterSeq
  }
}

interface View {
  readonly entries: readonly ActionEntry[]
  take(recorded: RecordedEvent): Promise<void>
}

type StepEvent = Extract<RunEvent, { type: 'step-started' | 'step-finished' | 'step-failed' }>

function createView({ blobs }: RecordSource): View {
  const entries: Draft[] = []
  /** The newest that was proposed, by place and kind: its question and its action follow it. */
  const proposed = new Map<string, Draft>()
  const value = async (event: StepEvent): Promise<unknown> =>
    event.type === 'step-finished' ? load(event.result, blobs).catch(() => undefined) : undefined

  async function takeStep(event: StepEvent, atMs: number): Promise<void> {
    const known = event.type === 'step-failed' ? kindOf(event.step) : readStep(event)
    const { kind, role = '' } = known
    const place = (of: string): string =>
      `${event.iteration}/${event.step.slice(0, event.step.lastIndexOf('/') + 1)}/${of}`
    if (kind === 'gate' && event.type === 'step-finished') {
      const record = (await value(event)) as GateRecord | undefined
      const entry = fromGate(record, { event, kind: role, atMs })
      entries.push(entry)
      proposed.set(place(role), entry)
    }
    if (kind === 'ask' && event.type === 'step-finished' && role.startsWith('allow ')) {
      const entry = proposed.get(place(role.slice('allow '.length)))
      if (entry !== undefined) answered(entry, (await value(event)) as Answer | undefined)
    }
    if (kind !== 'action') return
    const entry = proposed.get(place(role))
    if (entry === undefined) return
    if (event.type === 'step-started') {
      entry.key = event.key ?? entry.key
      entry.status = 'started'
    } else if (event.type === 'step-failed') {
      entry.status = 'failed'
      entry.reason = event.fault.message
    } else finished(entry, (await value(event)) as Receipt | { readonly unknown: true } | undefined)
  }

  return {
    entries,
    async take({ event, atMs }) {
      if (event.type === 'action-recorded') return takeRecord(entries, event, atMs)
      if (event.type === 'step-started' || event.type === 'step-failed') await takeStep(event, atMs)
      if (event.type === 'step-finished') await takeStep(event, atMs)
    },
  }
}

/** `step-failed` does not carry the kind of its step. */
function kindOf(step: StepId): { readonly kind: string; readonly role?: string } {
  const { kind, name } = parseStepId(step)
  return { kind, role: name }
}

function fromGate(
  record: GateRecord | undefined,
  { event, kind, atMs }: { event: StepEvent; kind: string; atMs: number },
): Draft {
  const { type, rule, reason, policy, facts, action } = record ?? { type: 'deny' as const }
  return {
    key: `${event.iteration}/${event.step}`,
    kind,
    summary: action?.summary ?? kind,
    status: type === 'deny' ? 'refused' : 'proposed',
    atMs,
    iteration: event.iteration,
    ...(type === 'allow' ? { permission: { by: 'rule', name: rule ?? 'gate' } } : {}),
    ...defined({ policy, facts, reason }),
  }
}

function answered(entry: Draft, answer: Answer | undefined): void {
  if (answer?.answer !== 'allow') {
    entry.status = 'refused'
    return
  }
  entry.permission = { by: 'person', name: answer.who ?? answer.by }
}

function finished(entry: Draft, receipt: Receipt | { readonly unknown: true } | undefined): void {
  if (receipt === undefined || 'unknown' in receipt) {
    entry.status = 'unknown'
    return
  }
  entry.status = receipt.status
  entry.receipt = receipt
}

function takeRecord(entries: Draft[], event: ActionRecorded, atMs: number): void {
  const { key, kind, status, action, permission, policy, receipt, reason } = event
  const known = entries.find((entry) => entry.key === key)
  const entry: Draft = known ?? { key, kind, summary: action?.summary ?? kind, status, atMs }
  if (known === undefined) entries.push(entry)
  entry.status = status === 'done' ? (receipt?.status ?? 'done') : status
  Object.assign(entry, defined({ permission, policy, receipt, reason }))
}

/** By loop, repository and kind, over all runs. */
export async function viewActionFacts(source: RecordSource): Promise<readonly ActionFact[]> {
  const facts = new Map<string, { -readonly [Key in keyof ActionFact]: ActionFact[Key] }>()
  for (const { id, loop, repository } of await source.journal.listRuns()) {
    for (const { kind, status, facts: seen } of await viewActions(source, id)) {
      const name = JSON.stringify([loop, repository, kind])
      const fact = facts.get(name) ?? {
        loop,
        ...defined({ repository }),
        kind,
        ...none,
      }
      facts.set(name, fact)
      fact.proposed += 1
      const isDone = status === 'done' || status === 'escaped'
      if (isDone) fact.done += 1
      // A person merges and opens pull requests only of certified work.
      if (isDone && seen?.verified !== false) fact.verified += 1
      if (status === 'refused' || status === 'failed' || status === 'unknown') fact[status] += 1
      if (status === 'escaped') fact.escaped += 1
    }
  }
  return [...facts.values()]
}

const none = {
  proposed: 0,
  refused: 0,
  done: 0,
  verified: 0,
  failed: 0,
  unknown: 0,
  escaped: 0,
}
