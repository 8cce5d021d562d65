/**
 * What the runs of a loop show about it: one trial for each run and kind of action, from the journal. What an agent says is
 * no evidence: only what the engine verified, what the gate decided and what people answered.
 */

import { load } from '../../engine/index.ts'
import {
  type Answer,
  type GateRecord,
  isLoopError,
  parseStepId,
  type RecordedEvent,
  type RunId,
  readStep,
} from '../../loop/index.ts'
import type { RecordSource } from '../views/record-source.ts'

export interface Trial {
  readonly run: RunId
  readonly name: string
  readonly atMs: number
  /** Absent: the run failed before it proposed anything, which counts for every kind. */
  readonly kind?: string
  readonly isSuccess: boolean
}

const pageSize = 1000
const types = [
  'run-created',
  'run-ended',
  'step-finished',
  'step-failed',
  'action-recorded',
] as const

/** Empty: the run has not ended, repeats another one, or shows nothing. */
export async function readTrials(
  source: RecordSource,
  {
    id,
    name,
    createdAtMs: atMs,
  }: { readonly id: RunId; readonly name: string; readonly createdAtMs: number },
): Promise<readonly Trial[]> {
  const seen: Seen = { gates: new Map(), answers: new Map(), acted: new Map(), escaped: new Set() }
  let afterSeq = 0
  for (;;) {
    const page = await readPage(source, id, afterSeq)
    for (const recorded of page) await take(source, seen, recorded)
    if (page.length < pageSize) break
    afterSeq = page.at(-1)?.seq ?? afterSeq
  }
  // A replay shows nothing new, and who forks a run knows how it went.
  if (seen.isCopy === true || seen.ended === undefined) return []
  const trial = { run: id, name, atMs }
  if (seen.gates.size === 0) {
    return failures.has(seen.ended) ? [{ ...trial, isSuccess: false }] : []
  }
  return [...seen.gates].flatMap(([kind, record]): readonly Trial[] => {
    const isSuccess = judge(kind, record, seen)
    return isSuccess === undefined ? [] : [{ ...trial, kind, isSuccess }]
  })
}

const failures: ReadonlySet<string> = new Set(['failed', 'exhausted', 'stuck'])

interface Seen {
  /** The newest of each kind. */
  readonly gates: Map<string, GateRecord | undefined>
  readonly answers: Map<string, Answer>
  readonly acted: Map<string, 'done' | 'failed' | 'unknown'>
  readonly escaped: Set<string>
  isCopy?: boolean
  ended?: string
}

/** Undefined: it shows nothing, for example because no person answered. */
function judge(kind: string, record: GateRecord | undefined, seen: Seen): boolean | undefined {
  if (seen.escaped.has(kind)) return false
  // Content that was deleted shows nothing.
  const { facts, type, rule } = record ?? { facts: undefined, type: undefined, rule: undefined }
  if (facts === undefined) return undefined
  if (!facts.verified) return false
  if (type === 'deny') return rule === 'level'
  // Shadow mode: it would have been proposed, and the gate would not have denied it.
  if (facts.level === 1) return true
  if (type === 'ask') {
    const answer = seen.answers.get(kind)
    if (answer?.by !== 'person') return undefined
    if (answer.answer !== 'allow') return false
  }
  const acted = seen.acted.get(kind)
  return acted === 'done' ? true : acted === 'failed' ? false : undefined
}

/** Content that was deleted shows nothing. */
async function readPage(
  { journal }: RecordSource,
  run: RunId,
  afterSeq: number,
): Promise<readonly RecordedEvent[]> {
  try {
    return await journal.read(run, { afterSeq, types, limit: pageSize })
  } catch (error) {
    if (isLoopError(error, 'unknown-run')) return []
    throw error
  }
}

async function take({ blobs }: RecordSource, seen: Seen, { event }: RecordedEvent): Promise<void> {
  if (event.type === 'run-created') {
    seen.isCopy = event.origin !== undefined && event.origin.type !== 'checkpoint'
  } else if (event.type === 'run-ended') {
    seen.ended = event.outcome.type
  } else if (event.type === 'action-recorded') {
    if (event.status === 'escaped') seen.escaped.add(event.kind)
  } else if (event.type === 'step-failed') {
    const { kind, name } = parseStepId(event.step)
    if (kind === 'action') seen.acted.set(name, 'failed')
  } else if (event.type === 'step-finished') {
    const { kind, role = '' } = readStep(event)
    if (kind !== 'gate' && kind !== 'ask' && kind !== 'action') return
    takeResult(seen, { kind, role }, await load(event.result, blobs).catch(() => undefined))
  }
}

function takeResult(
  seen: Seen,
  { kind, role }: { readonly kind: 'gate' | 'ask' | 'action'; readonly role: string },
  value: unknown,
): void {
  if (kind === 'gate') seen.gates.set(role, value as GateRecord | undefined)
  if (kind === 'action') seen.acted.set(role, statusOf(value))
  if (kind === 'ask' && role.startsWith('allow ')) {
    seen.answers.set(role.slice('allow '.length), value as Answer)
  }
}

function statusOf(value: unknown): 'done' | 'failed' | 'unknown' {
  const { status } = (value ?? {}) as { readonly status?: unknown }
  if (status === 'done') return 'done'
  return status === 'refused' ? 'failed' : 'unknown'
}
