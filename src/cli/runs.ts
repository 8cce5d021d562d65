/**
 * Runs as commands see them: those of a daemon, or of the record in this process. Each command is
 * written once against this.
 */

import type { InboxQuestion, OutputEntry, QueueEntry, Streamed } from '../client/index.ts'
import type { RunRow } from '../engine/index.ts'
import type { Inspection } from '../history/inspect-run.ts'
import type { Postmortem } from '../history/postmortem/built-in.ts'
import type { Host } from '../host/host.ts'
import type { PullRequest, PullRequestOptions } from '../host/review/create-pull-request.ts'
import type { Discarded } from '../host/review/scrap-run.ts'

export interface Inspected extends Inspection {
  /** Where it stands with the daemon that is to drive it. */
  readonly queue?: QueueEntry
}

export interface ListFilter {
  /** Ours, or the name that a document has for it. */
  readonly status?: string
  readonly workspace?: string
  /** The newest; all unless told. */
  readonly limit?: number
}

export interface AnalyzeChoice {
  readonly model?: string
  readonly promptOnly?: boolean
}

export interface Runs
  extends Pick<
    Host,
    'answer' | 'cleanWorktrees' | 'diff' | 'merge' | 'remove' | 'tell' | 'worktrees'
  > {
  list(filter?: ListFilter): Promise<readonly RunRow[]>
  inspect(run: string): Promise<Inspected>
  events(run: string, options?: Streamed): ReturnType<Host['events']>
  output(run: string, options?: Streamed): AsyncIterable<OutputEntry>
  /** What people are asked, the nearest deadline first. */
  inbox(): Promise<readonly InboxQuestion[]>
  queue(): Promise<readonly QueueEntry[]>
  removeWorktree(
    worktree: string,
    options?: { readonly force?: boolean },
  ): ReturnType<Host['cleanWorktrees']>
  scrap(run: string, by: string): Promise<Discarded>
  reset(run: string, by: string): Promise<Discarded>
  analyze(run: string, choice?: AnalyzeChoice): Promise<Postmortem>
  createPullRequest(run: string, options: PullRequestOptions): Promise<PullRequest>
}
