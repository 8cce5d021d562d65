/** What became of the work of a run after it ended. */

import type { RunId } from '../loop/index.ts'
import type { Runs } from '../runs/runs.ts'

export const reviewStatuses = ['pending', 'reviewed', 'scrapped', 'merged', 'pr-created'] as const

export type ReviewStatus = (typeof reviewStatuses)[number]

export interface Review {
  readonly status: ReviewStatus
  readonly by?: string
  readonly atMs?: number
  /** Of a pull request. */
  readonly url?: string
  /** Where it was merged. */
  readonly branch?: string
  readonly commit?: string
}

export type ReviewHost = Pick<Runs, 'journal'>

const factName = 'review'

/** `pending` until somebody has decided. */
export async function reviewOf({ journal }: ReviewHost, idOrName: string): Promise<Review> {
  return readReview({ journal }, (await journal.findRun(idOrName)).id)
}

/** The same of a run that was found before. */
export async function readReview({ journal }: ReviewHost, run: RunId): Promise<Review> {
  const fact = (await journal.facts(run)).get(factName)
  if (fact === undefined) return { status: 'pending' }
  return { ...(fact.value as unknown as Review), atMs: fact.atMs }
}

/** The newest word counts. */
export async function recordReview(
  { journal }: ReviewHost,
  idOrName: string,
  review: Omit<Review, 'atMs'>,
): Promise<Review> {
  const run = await journal.findRun(idOrName)
  const atMs = Date.now()
  await journal.setFact(run.id, factName, { value: { ...review }, atMs })
  return { ...review, atMs }
}
