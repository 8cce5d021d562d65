/** What can be done with runs: they are created, placed, driven, told and kept. */

import type { AnyLoopType, BlobStore, RunRow, Store } from '../engine/index.ts'
import type { Decision, LoopType, RecordedEvent } from '../loop/index.ts'
import type { ForkComparison } from './compare-fork.ts'
import type {
  CreateForkOptions,
  CreateOptions,
  ExportOptions,
  ForkOptions,
  RestoreOptions,
  ResumeOptions,
  RunParts,
  StartOptions,
} from './options.ts'
import type { RunHandle } from './run-handle.ts'
import type { PlaceForkOptions, PlaceOptions, RunPlace } from './run-place.ts'
import type {
  CleanedWorktree,
  CleanOptions,
  RunWorktreeEntry,
  WorktreesOptions,
} from './worktrees-of-runs.ts'

export interface Runs {
  readonly folder: string
  readonly journal: Store
  readonly blobs: BlobStore
  /**
   * Settles name, id and folder of a new run, and makes its worktree if it is to have one, so that
   * what it needs can be opened there. Given to `start`; `leave` takes it back.
   */
  place(options?: PlaceOptions): Promise<RunPlace>
  /** The same for a fork. */
  placeFork(run: string, options: PlaceForkOptions): Promise<RunPlace>
  /** Where a run works; a worktree that was deleted is made again. */
  placeAgain(run: string, workspace?: string): Promise<RunPlace>
  /** E10. A run that is on disk when this resolves, and that is not driven yet: see `drive`. */
  create<I, C, P, R>(loop: LoopType<I, C, P, R>, options: CreateOptions<I>): Promise<RunPlace>
  /** The same for a fork. */
  createFork<I, C, P, R>(
    run: string,
    loop: LoopType<I, C, P, R>,
    options: CreateForkOptions<I>,
  ): Promise<RunPlace>
  /**
   * Copies what is no part of a fork's tree (`exclude`) from the folder of the run that it comes from,
   * unless it is there. Resolves with what could not be copied.
   */
  carryOver(
    run: string,
    exclude: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly string[]>
  /** Goes back to the checkpoint after an iteration. What was spent since stays spent. */
  rewind(run: string, iteration: number): Promise<void>
  /** Says on a run that nobody drives why it does not go on, and what to do. */
  suspend(run: string, reason: string): Promise<void>
  start<I, C, P, R>(loop: LoopType<I, C, P, R>, options: StartOptions<I>): Promise<RunHandle>
  /**
   * Drives a run that was created and not driven yet. If another run works in its folder, the new one is
   * removed.
   */
  drive(place: RunPlace, loop: AnyLoopType, parts: RunParts): Promise<RunHandle>
  /** Resumes a run that was suspended or interrupted. */
  resume(run: string, loop: AnyLoopType, options?: ResumeOptions): Promise<RunHandle>
  /** Creates and drives a run that continues from another's checkpoint. */
  fork<I, C, P, R>(
    run: string,
    loop: LoopType<I, C, P, R>,
    options: ForkOptions<I>,
  ): Promise<RunHandle>
  /** A fork beside the run that it comes from. */
  compareFork(run: string): Promise<ForkComparison>
  /** The worktrees of the runs on record, or of one repository. */
  worktrees(options?: WorktreesOptions): Promise<readonly RunWorktreeEntry[]>
  /** Takes away those of runs that have ended, unless there is work in them that is nowhere else. */
  cleanWorktrees(options?: CleanOptions): Promise<readonly CleanedWorktree[]>
  list(): Promise<readonly RunRow[]>
  events(
    run: string,
    options?: {
      readonly afterSeq?: number
      readonly follow?: boolean
      readonly signal?: AbortSignal
    },
  ): AsyncIterable<RecordedEvent>
  answer(run: string, question: string, answer: string, by: string): Promise<void>
  /** Pause, resume, stop, cancel, change limits. The process that drives the run applies it at once. */
  tell(run: string, decision: Exclude<Decision, { type: 'answer' }>, by: string): Promise<void>
  /** A checkpoint as JSON by the published schema. Default: the last one. */
  exportCheckpoint(run: string, options?: ExportOptions): Promise<string>
  /** Goes on from such a file, here or on another machine, as a run of its own. */
  restoreCheckpoint(text: string, loop: AnyLoopType, options?: RestoreOptions): Promise<RunHandle>
}
