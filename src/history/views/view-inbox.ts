/** What all runs ask of people now, the earliest deadline first. */

import type { AskedAfter } from '../../engine/index.ts'
import type { RunId } from '../../loop/index.ts'
import type { InboxQuestion, Page } from '../../protocol/api/index.ts'
import { notOurs, type PageOptions, pageLimit, parseCursor, toCursor } from './cursor.ts'
import type { RecordSource } from './record-source.ts'

export async function viewInbox(
  { journal }: Pick<RecordSource, 'journal'>,
  { limit = pageLimit, cursor }: PageOptions = {},
): Promise<Page<InboxQuestion>> {
  const after = cursor === undefined ? {} : { after: afterOf(cursor) }
  const asked = await journal.questions({ limit: limit + 1, ...after })
  const page = asked.slice(0, limit)
  const last = page.at(-1)
  const items = page.map(({ run, name, ...question }) => ({ ...question, run: { id: run, name } }))
  if (asked.length <= limit || last === undefined) return { items }
  return { items, next: toCursor(last.deadlineAtMs, last.run, last.id) }
}

function afterOf(cursor: string): AskedAfter {
  const [deadlineAtMs, run, id] = parseCursor(cursor)
  if (typeof deadlineAtMs !== 'number' || typeof run !== 'string' || typeof id !== 'string') {
    throw notOurs()
  }
  return { deadlineAtMs, run: run as RunId, id }
}
