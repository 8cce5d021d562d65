/**
 * Requests to merge work into a branch, in the order in which they were made: one line for each target branch.
 *
 * M1. A request is stored once for each key: asking again with the key finds what became of it.
 * M2. One process at a time works through a line. Its lease has a fence, which each change of a row is checked against,
 *     so that a process that was frozen and woke up changes nothing.
 */

import type { RunId, TreeId } from '../../loop/index.ts'
import type { Owner } from './lease.ts'

export interface MergeQueue {
  /** M1. Resolves with the stored request. Rejects with `unknown-run`. */
  add(request: NewMerge): Promise<MergeRow>
  /** Undefined: there is no request with this key. */
  row(key: string): Promise<MergeRow | undefined>
  /** The requests of a line that have no end yet, the oldest first. */
  open(line: MergeLine): Promise<readonly MergeRow[]>
  /** All requests that have no end yet, the oldest first. */
  listOpen(): Promise<readonly MergeRow[]>
  /** The newest requests of all lines, open or ended, the newest first. */
  listNewest(limit: number): Promise<readonly MergeRow[]>
  /** All requests of a run, the oldest first. */
  ofRun(run: RunId): Promise<readonly MergeRow[]>
  /** The commits with certified trees that requests put on a branch, the newest first. */
  landed(line: MergeLine, limit: number): Promise<readonly MergeRow[]>
  /** Whether an owner holds the line. */
  isHeld(line: MergeLine): Promise<boolean>
  /** M2. Undefined: another owner holds the line. */
  acquire(line: MergeLine, owner: Owner): Promise<MergeLease | undefined>
  /** Rejects with `fenced`. */
  renew(lease: MergeLease): Promise<void>
  release(lease: MergeLease): Promise<void>
  /** M2. All of these changes or none. Rejects with `fenced`. */
  update(lease: MergeLease, changes: readonly MergeChange[]): Promise<void>
}

/** A target branch of a repository. */
export interface MergeLine {
  /** The folder that all worktrees of the repository share. */
  readonly repository: string
  readonly target: string
}

/** `fast-forward`: the commit itself if the target can move to it, else a merge commit. */
export type LandingStrategy = 'squash' | 'merge' | 'fast-forward'

export interface NewMerge extends MergeLine {
  /** Identifies the request; a line of the commit message holds it, too. */
  readonly key: string
  readonly run: RunId
  /** The branch with the work, and its commit. */
  readonly branch: string
  readonly commit: string
  /** The certified tree: the tree of that commit. */
  readonly tree: TreeId
  /** Where a target that does not exist yet begins. */
  readonly base: string
  readonly strategy: LandingStrategy
  readonly message: string
  readonly queuedAtMs: number
}

export interface MergeRow extends NewMerge {
  /** The name of the run. */
  readonly name: string
  /** 1: the next one of its line. Absent: it has ended. */
  readonly position?: number
  readonly progress: MergeProgress
}

/**
 *   queued ─▶ merging ─▶ merged
 *     ▲  └──────┬──────▶ conflict | failed
 *     └─────────┘ the process was killed, and the target does not have the commit
 */
export type MergeProgress =
  | { readonly state: 'queued' }
  /** The target is about to move to `tip`, which contains `commit`. */
  | {
      readonly state: 'merging'
      readonly commit: string
      readonly tip: string
      readonly tree: TreeId
      readonly certificate?: string
    }
  /** Without a commit: the target had all of it already. */
  | {
      readonly state: 'merged'
      readonly commit?: string
      /** The certified tree that the target pointed at then. */
      readonly tree: TreeId
      readonly certificate?: string
    }
  /** The work has to change first: it conflicts, or both together do not pass the checks. */
  | { readonly state: 'conflict'; readonly reason: string; readonly conflict: MergeConflict }
  | { readonly state: 'failed'; readonly reason: string }

export interface MergeConflict {
  /** Files that both sides changed. Empty: the merged files do not pass the checks. */
  readonly files: readonly string[]
  /** The commit of the target. */
  readonly onto: string
  /** Its tree. */
  readonly base: TreeId
  /** The merged files; conflicts are marked in them. */
  readonly tree: TreeId
}

export interface MergeChange {
  readonly key: string
  readonly progress: MergeProgress
}

/** The right to work through a line. `fence` grows with each holder. */
export interface MergeLease extends MergeLine {
  readonly owner: Owner
  readonly fence: number
}
