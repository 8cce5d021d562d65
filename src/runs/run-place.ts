/** Where a run works, and how that is chosen. */

import type { RunBaseFiles, RunRow } from '../engine/index.ts'
import type { RunId, RunWorktree } from '../loop/index.ts'
import type { KnownWorktree, Repository } from '../workspace/index.ts'
import type { WorktreeChoice } from './worktree-options.ts'

/** Opened once a run is driven in it. */
export interface PlacedWorktree {
  readonly repository: Repository
  readonly worktree: KnownWorktree
}

export interface RunPlace {
  readonly id: RunId
  readonly name: string
  /** The folder to work in; undefined: none. */
  readonly workspace: string | undefined
  /** For the record; undefined: the folder is worked in as it is. */
  readonly worktree: RunWorktree | undefined
  readonly placed: PlacedWorktree | undefined
  /** The folder that the worktree stands for. */
  readonly checkout: string | undefined
  /** Where in the workspace commands start, from its top. Absent: at its top. */
  readonly inner?: string
  /** The files that the run began with, where it has begun; absent: those that are there. */
  readonly begun?: () => RunBaseFiles
  /** Where run folders are kept in the workspace, if it is not a worktree. Default: `logs/loop`. */
  readonly logDir?: string
  /** What links in the workspace lead to: to be seen, and not to be changed. */
  readonly readOnly: readonly string[]
  /** Why it is this folder, where a person might wonder. */
  readonly why: string | undefined
  /** What a person should know. */
  readonly problems: readonly string[]
  /** The run that its commits name. Default: this one. */
  readonly signedAs?: Pick<RunRow, 'id' | 'name'>
  /** What checks see there and the run's commits have not; see `leftOut` of a diff. */
  leftOut(): Promise<readonly string[]>
  /** Takes back what was made, unless there is a run by now or something is in it. */
  leave(): Promise<void>
}

export interface PlaceOptions {
  /** A readable name; one is made up otherwise. */
  readonly name?: string
  /** The folder to work in, or whose repository the worktree is of. */
  readonly workspace?: string
  readonly worktree?: WorktreeChoice
  /** Reject with `needs-in-place` if the folder would be changed directly without the user choosing that. */
  readonly needsChoice?: boolean
  /** The user vouches for the repository, even if an agent may have created it. */
  readonly isVouched?: boolean
  /** Files that may be there uncommitted, if they are not tracked: whole paths. */
  readonly apart?: readonly string[]
  /** Where run folders are kept in the workspace. Default: `logs/loop`. */
  readonly logDir?: string
}

export interface PlaceForkOptions extends Pick<PlaceOptions, 'name' | 'workspace' | 'worktree'> {
  readonly iteration: number
  readonly replaceFiles?: boolean
}
