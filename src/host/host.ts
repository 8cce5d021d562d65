/** What a host offers. */

import type { AnyLoopType, Checkpoint, RunRow } from '../engine/index.ts'
import type { BlobStore, RemoveOptions, SqliteJournal } from '../journal/index.ts'
import type {
  Decision,
  LoopType,
  OpenQuestion,
  RecordedEvent,
  RunCheck,
  RunState,
  TreeId,
} from '../loop/index.ts'
import type { MergeResult } from '../workspace/index.ts'
import type { Collected } from './collect-garbage.ts'
import type { ForkComparison } from './compare-fork.ts'
import type { DiffOptions, RunDiff } from './diff-run.ts'
import type { MergeOptions } from './merge-run.ts'
import type { ModelDoor } from './model-door.ts'
import type {
  CreateForkOptions,
  CreateOptions,
  ExportOptions,
  ForkOptions,
  RestoreOptions,
  ResumeOptions,
  StartOptions,
} from './options.ts'
import type { RemovedRun } from './remove-run.ts'
import type { Replay, ReplayOptions } from './replay/index.ts'
import type { Review } from './review/review.ts'
import type { ReviewedQuestion } from './review-question.ts'
import type { RunHandle } from './run-handle.ts'
import type { PlaceForkOptions, PlaceOptions, RunPlace } from './run-place.ts'
import type {
  CleanedWorktree,
  CleanOptions,
  RunWorktreeEntry,
  WorktreesOptions,
} from './worktrees-of-runs.ts'

export interface Inspection {
  readonly run: RunRow
  readonly state: RunState
  /** Why it was left, where it is suspended. */
  readonly why?: string
  readonly questions: readonly OpenQuestion[]
  readonly checkpoints: readonly Checkpoint[]
  /** Each check, and its status on the files as they are now. Absent: an older daemon answered. */
  readonly checks?: readonly RunCheck[]
  /** What became of its work, once somebody has decided. */
  readonly review?: Review
}

export interface Host {
  readonly folder: string
  readonly journal: SqliteJournal
  readonly blobs: BlobStore
  /** The way to models for agents of its runs. */
  readonly models: ModelDoor
  /**
   * Settles name, id and folder of a new run, and makes its worktree if it is to have one, so that
   * what it needs can be opened there. Given to `start`; `leave` takes it back.
   */
  place(options?: PlaceOptions): Promise<RunPlace>
  /** The same for a fork. */
  placeFork(run: string, options: PlaceForkOptions): Promise<RunPlace>
  /** Where a run works; a worktree that was deleted is made again. */
  placeAgain(run: string, workspace?: string): Promise<RunPlace>
  /** E10. A run that is on disk when this resolves, and that nobody drives yet: `resume` does. */
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
  /** Takes up a run that was suspended, or whose process ended in any way. */
  resume(run: string, loop: AnyLoopType, options?: ResumeOptions): Promise<RunHandle>
  /** A run of its own that goes on from another's checkpoint. */
  fork<I, C, P, R>(
    run: string,
    loop: LoopType<I, C, P, R>,
    options: ForkOptions<I>,
  ): Promise<RunHandle>
  /** A fork beside the run that it comes from. */
  compareFork(run: string): Promise<ForkComparison>
  /**
   * A run of its own that does another again from its record: no model and no person is asked, no action
   * is performed, nothing is paid. Nothing starts before `start` is called.
   */
  replay(run: string, options?: ReplayOptions): Promise<Replay>
  /** What a run changed, or one of its iterations. Nothing of its files is run for it. */
  diff(run: string, options?: DiffOptions): Promise<RunDiff>
  /** All that an open question of a run is about. */
  reviewQuestion(run?: string): Promise<ReviewedQuestion>
  /** Lands the work of a run that completed on a branch, in memory. */
  merge(run: string, options?: MergeOptions): Promise<MergeResult>
  /** The worktrees of the runs on record, or of one repository. */
  worktrees(options?: WorktreesOptions): Promise<readonly RunWorktreeEntry[]>
  /** Takes away those of runs that have ended, unless there is work in them that is nowhere else. */
  cleanWorktrees(options?: CleanOptions): Promise<readonly CleanedWorktree[]>
  list(): Promise<readonly RunRow[]>
  inspect(run: string): Promise<Inspection>
  events(
    run: string,
    options?: {
      readonly afterSeq?: number
      readonly follow?: boolean
      readonly signal?: AbortSignal
    },
  ): AsyncIterable<RecordedEvent>
  answer(run: string, question: string, answer: string, by: string): Promise<void>
  /** Pause, resume, stop, cancel, change limits. Applied at once, by whoever drives the run. */
  tell(run: string, decision: Exclude<Decision, { type: 'answer' }>, by: string): Promise<void>
  /** A checkpoint as JSON by the published schema; the last one unless told. */
  exportCheckpoint(run: string, options?: ExportOptions): Promise<string>
  /** Goes on from such a file, here or on another machine, as a run of its own. */
  restoreCheckpoint(text: string, loop: AnyLoopType, options?: RestoreOptions): Promise<RunHandle>
  /**
   * Takes a run that has ended out of the record for good; with `force` also one that has not, if
   * nobody drives it. Forks of it stay whole. Its worktree goes too, unless there is work in it that
   * is nowhere else. Resolves with what it was.
   */
  remove(run: string, options?: RemoveOptions): Promise<RemovedRun>
  /** Removes content that no run names, older than an hour. */
  collectGarbage(): Promise<Collected>
  /** What is wrong with the record; empty when all is well. Reads everything that it names. */
  problems(): Promise<readonly string[]>
  /** Puts a tree that the record has, by its hash or the beginning of it, into an empty folder. */
  extract(tree: string, folder: string): Promise<TreeId>
  close(): Promise<void>
}
