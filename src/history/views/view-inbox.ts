/** Pages of the open questions of all runs, earliest deadline first. */

import type { AskedAfter } from '../../engine/index.ts'
import type { RunId } from '../../loop/index.ts'
import type { InboxQuestion, Page } from '../../protocol/api/index.ts'
import {
  createBadCursorError,
  type PageOptions,
  pageLimit,
  parseCursor,
  toCursor,
} from './cursor.ts'
import type { RecordSource } from './record-source.ts'

export async function viewInbox(
  { journal }: Pick<RecordSource, 'journal'>,
  { limit = pageLimit, cursor }: PageOptions = {},
): Promise<Page<InboxQuestion>> {
  const after = cursor === undefined ? {} : { after: parseAfter(cursor) }
  const questions = await journal.questions({ limit: limit + 1, ...after })
  const page = questions.slice(0, limit)
  const last = page.at(-1)
  const items = page.map(({ run, name, ...question }) => ({ ...question, run: { id: run, name } }))
  if (questions.length <= limit || last === undefined) return { items }
  return { items, next: toCursor(last.deadlineAtMs, last.run, last.id) }
}

function parseAfter(cursor: string): AskedAfter {
  const [deadlineAtMs, run, id] = parseCursor(cursor)
  if (typeof deadlineAtMs !== 'number' || typeof run !== 'string' || typeof id !== 'string') {
    throw createBadCursorError()
  }
  return { deadlineAtMs, run: run as RunId, id }
}
