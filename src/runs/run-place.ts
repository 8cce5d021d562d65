/** Where a run works, and how that is chosen. */

import type { RunBaseFiles, RunRow } from '../engine/index.ts'
import type { RunId, RunWorktree } from '../loop/index.ts'
import type { KnownWorktree, Repository } from '../workspace/index.ts'
import type { WorktreeChoice } from './worktree-options.ts'

/** Opened when a run is first driven in it. */
export interface PlacedWorktree {
  readonly repository: Repository
  readonly worktree: KnownWorktree
}

export interface RunPlace {
  readonly id: RunId
  readonly name: string
  /** The folder to work in; undefined: none. */
  readonly workspace: string | undefined
  /** For the journal; undefined: the run works in the folder itself. */
  readonly worktree: RunWorktree | undefined
  readonly placed: PlacedWorktree | undefined
  /** The checkout that the worktree was created from. */
  readonly checkout: string | undefined
  /** The working directory of commands, relative to the workspace. Absent: the workspace itself. */
  readonly inner?: string
  /** The base files of a run that has started; absent: the files in the workspace. */
  readonly baseFiles?: () => RunBaseFiles
  /** Where run folders are kept in the workspace, if it is not a worktree. Default: `logs/loop`. */
  readonly logDir?: string
  /** Targets of links in the workspace, mounted read-only. */
  readonly readOnly: readonly string[]
  /** Why this folder was chosen, if that may surprise the user. */
  readonly why: string | undefined
  /** Warnings for the user. */
  readonly problems: readonly string[]
  /** The run that its commits name. Default: this one. */
  readonly signedAs?: Pick<RunRow, 'id' | 'name'>
  /** Files that checks see but the run's commits do not contain; see `leftOut` of a diff. */
  leftOut(): Promise<readonly string[]>
  /** Removes the worktree, unless its run exists by now or there are changes in it. */
  leave(): Promise<void>
}

export interface PlaceOptions {
  /** A readable name. Default: a generated one. */
  readonly name?: string
  /** The folder to work in, or a folder in the repository of the worktree. */
  readonly workspace?: string
  readonly worktree?: WorktreeChoice
  /** Reject with `needs-in-place` if the folder would be changed directly without the user choosing that. */
  readonly needsChoice?: boolean
  /** The user vouches for the repository, even if an agent may have created it. */
  readonly isVouched?: boolean
  /** Untracked files that do not count as uncommitted changes: absolute paths. */
  readonly excludedPaths?: readonly string[]
  /** Where run folders are kept in the workspace. Default: `logs/loop`. */
  readonly logDir?: string
}

export interface PlaceForkOptions extends Pick<PlaceOptions, 'name' | 'workspace' | 'worktree'> {
  readonly iteration: number
  readonly replaceFiles?: boolean
}

/** What the run works on, whichever folder it works in: the folder of the repository, as lists of runs have it. */
export const projectOf = ({
  worktree,
  workspace,
}: Pick<RunPlace, 'worktree' | 'workspace'>): string | undefined =>
  worktree?.repository.replace(/\/\.git$/, '') ?? workspace
