/** Pages of runs with what lists show of them, in memory. */

import type { OpenQuestionSummary, Store, SummaryRow } from '../../engine/index.ts'
import { defined } from '../../loop/index.ts'
import type { MemoryData } from './memory-data.ts'
import { createEventReads, createRunReads, openQuestions } from './memory-reads.ts'
import { createdEvent, lastEvent, type MemoryRun, toRecorded } from './memory-run.ts'

const eventCharsMax = 4096

export function createSummaryReads(data: MemoryData): Pick<Store, 'pageSummaries'> {
  const { pageRuns } = createRunReads(data)
  const { lastPosition } = createEventReads(data)
  return {
    async pageSummaries({ runs, limit = 100, ...options } = {}) {
      const position = await lastPosition()
      const all = await pageRuns({ ...options, limit: Number.POSITIVE_INFINITY })
      const found = all.runs.filter(({ id }) => runs === undefined || runs.includes(id))
      const rows = found.slice(0, limit).flatMap((row): readonly SummaryRow[] => {
        const run = data.runs.get(row.id)
        return run === undefined ? [] : [toSummaryRow(run, row)]
      })
      const last = rows.at(-1)
      const key = last && data.runs.get(last.run.id)?.key
      return { position, rows, ...(found.length > limit && key !== undefined ? { next: key } : {}) }
    },
  }
}

function toSummaryRow(run: MemoryRun, row: SummaryRow['run']): SummaryRow {
  const kept = lastEvent(run)
  const repository = createdEvent(run).worktree?.repository.replace(/\/\.git$/, '')
  const { summary } = run
  return {
    run: { ...row, ...defined({ repository }) },
    last: {
      type: kept.type,
      atMs: kept.atMs,
      ...(kept.json.length > eventCharsMax ? {} : { event: toRecorded(run.id, kept).event }),
    },
    ...defined({
      summary: summary === undefined ? undefined : (JSON.parse(summary) as SummaryRow['summary']),
      question: summarizeQuestions(run),
      review: run.facts.get('review')?.value,
    }),
  }
}

function summarizeQuestions(run: MemoryRun): OpenQuestionSummary | undefined {
  const open = openQuestions(run).toSorted((a, b) => a.deadlineAtMs - b.deadlineAtMs)
  const [first] = open
  if (first === undefined) return undefined
  const { id, question, askedAtMs, deadlineAtMs } = first
  return { id, text: question.text.slice(0, 2000), askedAtMs, deadlineAtMs, count: open.length }
}
