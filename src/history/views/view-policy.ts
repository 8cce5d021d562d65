/** What the policy answered during a run: each answer with its rule and its numbers, in pages. */

import { loadRun } from '../../engine/index.ts'
import { defined, type RunId } from '../../loop/index.ts'
import type { AllowedCalls, PolicyDecisions, PolicyRulingEntry } from '../../protocol/api/index.ts'
import { fromCursor, type PageOptions, pageLimit, toCursor } from './cursor.ts'
import type { RecordSource } from './record-source.ts'

type Source = Pick<RecordSource, 'journal'>

/** Tool calls that were allowed are only counted, on the first page. */
export async function viewPolicy(
  source: Source,
  run: RunId,
  { limit = pageLimit, cursor }: PageOptions = {},
): Promise<PolicyDecisions> {
  const [afterSeq = 0] = fromCursor(cursor, 1)
  const { policy } = (await loadRun(source.journal, run)).state
  const events = await source.journal.read(run, {
    afterSeq,
    types: ['policy-decided'],
    limit: limit + 1,
  })
  const items = events.slice(0, limit).flatMap(({ seq, atMs, event }): PolicyRulingEntry[] => {
    if (event.type !== 'policy-decided') return []
    const { type: _type, ...ruling } = event
    return [{ seq, atMs, ...ruling }]
  })
  const last = items.at(-1)
  const next = events.length > limit && last !== undefined ? toCursor(last.seq) : undefined
  const allowedCalls = cursor === undefined ? await countAllowedCalls(source, run) : undefined
  return { items, ...defined({ policy, allowedCalls, next }) }
}

const notesPerRead = 1000

async function countAllowedCalls(
  { journal }: Source,
  run: RunId,
): Promise<readonly AllowedCalls[]> {
  const allowed = new Map<string, AllowedCalls>()
  let afterSeq = 0
  for (;;) {
    const notes = await journal.read(run, { afterSeq, types: ['step-noted'], limit: notesPerRead })
    for (const { event } of notes) {
      if (event.type !== 'step-noted' || event.note.type !== 'tool-called') continue
      const { tool, policy: rules, error } = event.note
      if (rules === undefined || error === 'denied-by-policy') continue
      const key = JSON.stringify([tool, rules])
      allowed.set(key, { tool, rules, times: (allowed.get(key)?.times ?? 0) + 1 })
    }
    if (notes.length < notesPerRead) return [...allowed.values()]
    afterSeq = notes.at(-1)?.seq ?? afterSeq
  }
}
