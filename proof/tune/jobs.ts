/** What the proof gives to its workers, and their answers. */

import { simulateCell, type Tally } from './cells.ts'
import { families } from './landscapes.ts'
import { runSearch } from './search-run.ts'
import { type Judged, judgeCandidate } from './stopping.ts'

export type Job =
  | { readonly type: 'cell'; readonly cell: number; readonly from: number; readonly to: number }
  | {
      readonly type: 'candidates'
      readonly cases: number
      readonly from: number
      readonly to: number
    }
  | {
      readonly type: 'searches'
      readonly family: number
      readonly from: number
      readonly to: number
    }

export type Answer =
  | { readonly type: 'cell'; readonly cell: number; readonly tally: Tally }
  | { readonly type: 'candidates'; readonly cases: number; readonly judged: readonly Judged[] }
  /** For each search, the share captured at each budget. */
  | { readonly type: 'searches'; readonly captured: readonly (readonly number[])[] }

export const searchCases = 50
export const searchBudgets: readonly number[] = [50, 100, 200]

export function perform(job: Job): Answer {
  if (job.type === 'cell') {
    return { type: 'cell', cell: job.cell, tally: simulateCell(job.cell, job.from, job.to) }
  }
  const seeds = Array.from({ length: job.to - job.from }, (_, at) => job.from + at)
  if (job.type === 'candidates') {
    const { cases } = job
    const judged = seeds.map((seed) => judgeCandidate(cases, cases * 1_000_003 + seed))
    return { type: 'candidates', cases, judged }
  }
  const family = families[job.family] ?? 'additive'
  const captured = seeds.map((seed) =>
    runSearch(family, searchCases, searchBudgets, job.family * 1_000_003 + seed),
  )
  return { type: 'searches', captured }
}
