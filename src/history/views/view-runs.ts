/** Pages of runs, newest first. */

import { type RunFilter, type RunRow, readCreated } from '../../engine/index.ts'
import { defined } from '../../loop/index.ts'
import type { Page } from '../../protocol/api/page.ts'
import { fromCursor, type PageOptions, pageLimit, toCursor } from './cursor.ts'
import { readMergePositions } from './merge-positions.ts'
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
  const positions = await readMergePositions(journal, page.runs)
  const items: RunRow[] = []
  for (const row of page.runs) {
    const merging = positions.get(row.id)
    items.push({ ...row, ...(await readWorktree(journal, row)), ...defined({ merging }) })
  }
  return { items, ...(page.next === undefined ? {} : { next: toCursor(page.next) }) }
}

/** From its first event; it never changes. */
async function readWorktree(
  journal: RecordSource['journal'],
  { id }: RunRow,
): Promise<Pick<RunRow, 'repository' | 'branch'>> {
  const { worktree } = await readCreated(journal, id)
  if (worktree === undefined) return {}
  return { repository: worktree.repository.replace(/\/\.git$/, ''), branch: worktree.branch }
}
