/** What happens to the work of a run after it ended: reviews, discarded work, pull requests. */

import { z } from 'zod'
import type { RunStatus } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { count, id, published } from '../values.ts'
import { type Review, reviewSchema } from './review-status.ts'
import type { Run } from './run.ts'
import { runStatusSchema } from './run-status.ts'

const text = z.string()
const texts = z.array(text).readonly()

type RunReference = Pick<Run, 'id' | 'name' | 'status'>

export const runReferenceSchema: z.ZodType<RunReference> = exactly<RunReference>()(
  z.strictObject({ id: id<Run['id']>(), name: text, status: runStatusSchema }),
)

/** Same shape as the host's `Discarded`: what scrap and reset deleted. */
export interface Discarded {
  readonly run: { readonly id: Run['id']; readonly name: string; readonly status: RunStatus }
  readonly worktree?: string
  readonly branch?: string
  readonly commits: number
  readonly uncommitted: readonly string[]
  readonly review: Review
}

export const discardedSchema: z.ZodType<Discarded> = exactly<Discarded>()(
  z.strictObject({
    run: runReferenceSchema,
    worktree: text.exactOptional(),
    branch: text.exactOptional(),
    commits: count,
    uncommitted: texts,
    review: reviewSchema,
  }),
).register(published, { id: 'Discarded' })

export interface PullRequestRequest {
  readonly by?: string
  readonly remote?: string
  readonly base?: string
  readonly title?: string
  readonly body?: string
  readonly draft?: boolean
  /** About an earlier request whose result is unknown: it happened, or is to be done again. */
  readonly earlier?: 'happened' | 'again'
}

const branch = z.string().min(1).max(256).exactOptional()

export const pullRequestRequestSchema: z.ZodType<PullRequestRequest> =
  exactly<PullRequestRequest>()(
    z.strictObject({
      by: z.string().min(1).max(256).exactOptional(),
      remote: branch,
      base: branch,
      title: z.string().min(1).max(256).exactOptional(),
      body: z.string().max(60_000).exactOptional(),
      draft: z.boolean().exactOptional(),
      earlier: z.enum(['happened', 'again']).exactOptional(),
    }),
  ).register(published, { id: 'PullRequestRequest' })

/** Same shape as the host's `PullRequest`. */
export interface PullRequest {
  readonly url: string
  readonly remote: string
  readonly branch: string
  readonly base: string
  readonly commit: string
  readonly review: Review
}

export const pullRequestSchema: z.ZodType<PullRequest> = exactly<PullRequest>()(
  z.strictObject({
    url: text,
    remote: text,
    branch: text,
    base: text,
    commit: text,
    review: reviewSchema,
  }),
).register(published, { id: 'PullRequest' })

interface ReviewStats {
  readonly filesChanged: number
  readonly additions: number
  readonly deletions: number
}

const reviewStats = z.strictObject({ filesChanged: count, additions: count, deletions: count })

/** Same shape as the host's `ReviewDiff`: what a run changed, in the legacy review format. */
export interface ReviewDiff {
  readonly baseRef: string
  readonly headRef: string
  readonly commits: readonly {
    readonly sha: string
    readonly message: string
    readonly author: string
    readonly timestampMs: number
    readonly files: readonly string[]
    readonly stats: ReviewStats
  }[]
  readonly files: readonly {
    readonly path: string
    readonly status: 'added' | 'modified' | 'deleted' | 'renamed'
    readonly oldPath?: string
    readonly patch?: string
    readonly additions: number
    readonly deletions: number
  }[]
  readonly stats: ReviewStats
  /** Patches were left out because they exceed the size limit together. */
  readonly isCut: boolean
}

export const reviewDiffSchema: z.ZodType<ReviewDiff> = exactly<ReviewDiff>()(
  z.strictObject({
    baseRef: text,
    headRef: text,
    commits: z
      .array(
        z.strictObject({
          sha: text,
          message: text,
          author: text,
          timestampMs: z.number(),
          files: texts,
          stats: reviewStats,
        }),
      )
      .readonly(),
    files: z
      .array(
        z.strictObject({
          path: text,
          status: z.enum(['added', 'modified', 'deleted', 'renamed']),
          oldPath: text.exactOptional(),
          patch: text.exactOptional(),
          additions: count,
          deletions: count,
        }),
      )
      .readonly(),
    stats: reviewStats,
    isCut: z.boolean(),
  }),
).register(published, { id: 'ReviewDiff' })
