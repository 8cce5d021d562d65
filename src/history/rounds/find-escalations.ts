/**
 * Rounds that ended and need a person, though none is asked: their work could not be certified, a policy denied it, or too
 * many proposals wait. A later round of the same loop in the same repository that ends otherwise replaces them.
 */

import { loadRun, type RunRow } from '../../engine/index.ts'
import { defined, inOneLine, isLoopError } from '../../loop/index.ts'
import type { EscalatedRound } from '../../protocol/api/index.ts'
import type { RecordSource } from '../views/record-source.ts'
import { findRoundReport } from './find-round-report.ts'

const runsMax = 2000
const pageSize = 500
const reasonCharsMax = 500

/** The newest first. */
export async function findEscalated(
  source: RecordSource,
  sinceMs: number,
): Promise<readonly EscalatedRound[]> {
  const settled = new Set<string>()
  const found: EscalatedRound[] = []
  let before: number | undefined
  let seen = 0
  do {
    const page = await source.journal.pageRuns({
      createdAfterMs: sinceMs,
      limit: pageSize,
      ...defined({ before }),
    })
    for (const row of page.runs) {
      const key = JSON.stringify([row.loop, row.repository ?? row.workspace])
      if (settled.has(key)) continue
      const conclusion = await conclude(source, row)
      if (conclusion === undefined) continue
      settled.add(key)
      if (conclusion !== 'fine') found.push(conclusion)
    }
    seen += page.runs.length
    before = page.next
  } while (before !== undefined && seen < runsMax)
  return found
}

/** Undefined: it says nothing, because it goes on, failed, or had nothing new to work on. */
async function conclude(
  source: RecordSource,
  row: RunRow,
): Promise<EscalatedRound | 'fine' | undefined> {
  if (row.status === 'completed') return 'fine'
  if (row.status !== 'stuck') return undefined
  try {
    const report = await findRoundReport(source, row.id)
    if (report === undefined) return undefined
    const { attention } = (await loadRun(source.journal, row.id)).state
    // A person was asked, and answered or let it pass.
    if (report.outcome.type !== 'escalated' || attention.questions > 0) return 'fine'
    return {
      run: row.name,
      loop: row.loop,
      reason: inOneLine(report.outcome.reason, reasonCharsMax),
      atMs: report.endedAtMs,
      ...defined({ repository: row.repository ?? row.workspace, branch: report.branch }),
    }
  } catch (error) {
    if (isLoopError(error, 'unknown-run')) return undefined
    throw error
  }
}
