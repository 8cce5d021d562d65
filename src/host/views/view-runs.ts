/** The runs, newest first, in pages. */

import type { RunRow } from '../../engine/index.ts'
import type { RunFilter } from '../../journal/index.ts'
import type { Page } from '../../protocol/api/page.ts'
import { fromCursor, type PageOptions, pageLimit, toCursor } from './cursor.ts'
import type { RecordSource } from './record-source.ts'

export async function viewRuns(
  { journal }: Pick<RecordSource, 'journal'>,
  { limit = pageLimit, cursor, ...filter }: PageOptions & RunFilter = {},
): Promise<Page<RunRow>> {
  const [before = 0] = fromCursor(cursor, 1)
  const page = await journal.pageRuns({
    ...filter,
    limit,
    ...(cursor === undefined ? {} : { before }),
  })
  return { items: page.runs, ...(page.next === undefined ? {} : { next: toCursor(page.next) }) }
}
