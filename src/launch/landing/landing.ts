/** What the merge queue needs to know about work that is to be merged. */

import type {
  MergeLine,
  MergeProgress,
  MergeQueue,
  MergeRow,
  NewMerge,
} from '../../engine/index.ts'
import type { Signal, TreeId } from '../../loop/index.ts'
import type { Landings } from '../../workspace/index.ts'

/** A request, and how its run certifies merged files. */
export interface Landing {
  readonly request: NewMerge
  /** Equal for two landings whose checks are the same: one certificate is enough for both. */
  readonly checks: string
  /** Rejects if the checks could not run. */
  certify(candidate: Candidate, signal: Signal): Promise<LandingVerdict>
  /** Called if `certify` rejected, since another request of this process may have called it. */
  onError?(error: Error): void
}

/** Merged files. No branch points at them yet. */
export interface Candidate {
  readonly tree: TreeId
  readonly commit: string
  /** The commit of the target, and its files. */
  readonly onto: string
  readonly base: TreeId
}

export type LandingVerdict =
  | { readonly type: 'certified'; readonly certificate: string }
  | { readonly type: 'refused'; readonly reason: string }

/** How a request ended. */
export type LandingEnd = Extract<MergeProgress, { state: 'merged' | 'conflict' | 'failed' }>

export interface LandingParts {
  readonly merges: MergeQueue
  readonly git: Landings
}

/** The line of a commit message by which a request is found again. */
export const trailer = (key: string): string => `Loopwright-Action: ${key}`

/**
 * Held by a process that waits for its request while another one works through the line. That one may certify the
 * request as well, if it has the same checks. The name is not one that a branch can have.
 */
export const presenceOf = (
  { repository, key }: Pick<MergeRow, 'repository' | 'key'>,
  checks: string,
): MergeLine => ({ repository, target: `waiting: ${key} ${checks}` })

export function endOf({ progress }: MergeRow): LandingEnd | undefined {
  return progress.state === 'queued' || progress.state === 'merging' ? undefined : progress
}
