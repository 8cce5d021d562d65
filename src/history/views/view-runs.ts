/** Pages of runs, newest first. */

import { loadRun, type RunFilter, type RunRow, readCreated } from '../../engine/index.ts'
import { defined } from '../../loop/index.ts'
import type { Page } from '../../protocol/api/page.ts'
import type { Run, RunAttention } from '../../protocol/api/run.ts'
import { fromCursor, type PageOptions, pageLimit, toCursor } from './cursor.ts'
import { readMergePositions } from './merge-positions.ts'
import type { RecordSource } from './record-source.ts'
import { readSpecFiles } from './spec-files.ts'

export async function viewRuns(
  { journal, blobs }: RecordSource,
  { limit = pageLimit, cursor, attention = false, ...filter }: RunsChoice = {},
): Promise<Page<Run>> {
  const [before = 0] = fromCursor(cursor, 1)
  const page = await journal.pageRuns({
    ...filter,
    limit,
    ...(cursor === undefined ? {} : { before }),
  })
  const positions = await readMergePositions(journal, page.runs)
  const items: Run[] = []
  for (const row of page.runs) {
    const merging = positions.get(row.id)
    const asked = attention ? await readAttention(journal, row) : undefined
    const found = defined({ merging, attention: asked })
    items.push({ ...row, ...(await readBeginning({ journal, blobs }, row)), ...found })
  }
  return { items, ...(page.next === undefined ? {} : { next: toCursor(page.next) }) }
}

export interface RunsChoice extends PageOptions, RunFilter {
  /** Adds how much attention each run needed, which means reading its state. */
  readonly attention?: boolean
}

async function readAttention(
  journal: RecordSource['journal'],
  { id }: RunRow,
): Promise<RunAttention> {
  const { questions, waitedMs } = (await loadRun(journal, id)).state.attention
  return { questions, waitedMs }
}

/** From its first event; it never changes. */
async function readBeginning(
  { journal, blobs }: RecordSource,
  { id }: RunRow,
): Promise<Pick<RunRow, 'repository' | 'branch' | 'spec' | 'plan'>> {
  const created = await readCreated(journal, id)
  const files = await readSpecFiles({ blobs }, created)
  const { worktree } = created
  if (worktree === undefined) return files
  return {
    ...files,
    repository: worktree.repository.replace(/\/\.git$/, ''),
    branch: worktree.branch,
  }
}
