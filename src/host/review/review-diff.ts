/** What a run changed, as document 002's review shows it: commits, and files with their patches. */

import type { Host } from '../host.ts'

export interface ReviewDiff {
  /** What the branch began from, and what it is now: commits, or trees of a run without a branch. */
  readonly baseRef: string
  readonly headRef: string
  readonly commits: readonly ReviewCommit[]
  readonly files: readonly ReviewFile[]
  readonly stats: ReviewStats
  /** Patches were left out, because all of them together are too long. */
  readonly isCut: boolean
}

export interface ReviewCommit {
  readonly sha: string
  readonly message: string
  readonly author: string
  readonly timestampMs: number
  readonly files: readonly string[]
  readonly stats: ReviewStats
}

export interface ReviewFile {
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed'
  readonly oldPath?: string
  readonly patch?: string
  readonly additions: number
  readonly deletions: number
}

export interface ReviewStats {
  readonly filesChanged: number
  readonly additions: number
  readonly deletions: number
}

export async function reviewDiff(host: Host, idOrName: string): Promise<ReviewDiff> {
  const { before, after } = await host.diff(idOrName, { stat: true })
  return {
    baseRef: before,
    headRef: after,
    commits: [],
    files: [],
    stats: { filesChanged: 0, additions: 0, deletions: 0 },
    isCut: false,
  }
}
