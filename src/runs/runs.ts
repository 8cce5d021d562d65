/** The operations on runs. */

import type { AnyLoopType, BlobStore, RunRow, Store } from '../engine/index.ts'
import type { AnswerInput, Decider, Decision, LoopType, RecordedEvent } from '../loop/index.ts'
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
   * Chooses name, id and folder of a new run, and creates its worktree if it gets one, so that its parts can be opened
   * there. Pass the result to `start`, or call `leave` to undo it.
   */
  place(options?: PlaceOptions): Promise<RunPlace>
  /** The same for a fork. */
  placeFork(run: string, options: PlaceForkOptions): Promise<RunPlace>
  /** Where a run works. A deleted worktree is recreated. */
  placeAgain(run: string, workspace?: string): Promise<RunPlace>
  /** E10. Creates a run. It is on disk when this resolves, and not driven yet: see `drive`. */
  create<I, C, P, R>(loop: LoopType<I, C, P, R>, options: CreateOptions<I>): Promise<RunPlace>
  /** The same for a fork. */
  createFork<I, C, P, R>(
    run: string,
    loop: LoopType<I, C, P, R>,
    options: CreateForkOptions<I>,
  ): Promise<RunPlace>
  /**
   * Copies paths that are not part of a fork's tree (`exclude`) from the folder of its original, unless they exist.
   * Resolves with a message for each that could not be copied.
   */
  carryOver(
    run: string,
    exclude: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly string[]>
  /** Rewinds to the checkpoint after an iteration. What was spent since stays spent. */
  rewind(run: string, iteration: number): Promise<void>
  /** Suspends a run that no process drives, with the reason and what to do. */
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
  /** Compares a fork with its original. */
  compareFork(run: string): Promise<ForkComparison>
  /** The worktrees of all runs in the journal, or of one repository. */
  worktrees(options?: WorktreesOptions): Promise<readonly RunWorktreeEntry[]>
  /** Removes the worktrees of ended runs, unless they contain work that is in no commit. */
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
  /** An option, a text, or an answer by kind. The first one counts (E11). */
  answer(run: string, question: string, answer: string | AnswerInput, by: Decider): Promise<void>
  /**
   * Pause, resume, stop, cancel, change limits, or tell its agent something. The process that drives the run applies it
   * at once.
   */
  sendDecision(
    run: string,
    decision: Exclude<Decision, { type: 'answer' }>,
    by: Decider,
  ): Promise<void>
  /** @deprecated Use `sendDecision`. */
  tell(run: string, decision: Exclude<Decision, { type: 'answer' }>, by: Decider): Promise<void>
  /** A checkpoint as JSON by the published schema. Default: the last one. */
  exportCheckpoint(run: string, options?: ExportOptions): Promise<string>
  /** Creates and drives a new run that continues from such a file, possibly from another machine. */
  restoreCheckpoint(text: string, loop: AnyLoopType, options?: RestoreOptions): Promise<RunHandle>
}
