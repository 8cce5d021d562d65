/** What a process that works with a worktree and is killed at it is told, and what it says. */

import type { Call, Phase } from './failpoints.ts'

export interface GitJob {
  readonly checkout: string
  readonly key: string
  readonly kill?: GitKill
  /** A file for the places that it came through. */
  readonly counts?: string
}

export interface GitKill extends Pick<Call, 'site' | 'occurrence'> {
  /** `during`: git lives on. `half`: git is killed too, somewhere in the middle. */
  readonly phase: Phase | 'during'
}

/** Written, and believed by whoever reads it, only after it was so. */
export type Word =
  | { readonly type: 'created'; readonly branch: string }
  | { readonly type: 'kept'; readonly tree: string }
  | { readonly type: 'committed'; readonly commit: string }
  | { readonly type: 'removed' }

export const describeGitKill = ({ site, phase, occurrence }: GitKill): string =>
  `${site} ${phase} ${occurrence}`
