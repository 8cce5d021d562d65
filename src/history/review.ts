/** The review of a run: what was decided about its work after it ended. */

import type { RunId } from '../loop/index.ts'
import type { Runs } from '../runs/runs.ts'

export const reviewStatuses = ['pending', 'reviewed', 'scrapped', 'merged', 'pr-created'] as const

export type ReviewStatus = (typeof reviewStatuses)[number]

export interface Review {
  readonly status: ReviewStatus
  readonly by?: string
  readonly atMs?: number
  /** The URL of the pull request. */
  readonly url?: string
  /** The branch that it was merged into. */
  readonly branch?: string
  readonly commit?: string
}

export type ReviewHost = Pick<Runs, 'journal'>

const factName = 'review'

/** `pending` until a person decides. */
export async function reviewOf({ journal }: ReviewHost, idOrName: string): Promise<Review> {
  return readReview({ journal }, (await journal.findRun(idOrName)).id)
}

/** Like `reviewOf`, for a known run id. */
export async function readReview({ journal }: ReviewHost, run: RunId): Promise<Review> {
  const fact = (await journal.facts(run)).get(factName)
  if (fact === undefined) return { status: 'pending' }
  return { ...(fact.value as unknown as Review), atMs: fact.atMs }
}

/** Replaces an earlier review. */
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
