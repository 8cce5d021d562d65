/** What a host offers. */

import type { RemoveOptions } from '../engine/index.ts'
import type { DiffOptions, RunDiff } from '../history/diff-run.ts'
import type { Inspection } from '../history/inspect-run.ts'
import type { QuestionChanges } from '../history/review-question.ts'
import type { Replay, ReplayOptions } from '../launch/replay/index.ts'
import type { SharedGateway } from '../launch/shared-gateway.ts'
import type { TreeId } from '../loop/index.ts'
import type { LoopTypeDefinition } from '../loops/index.ts'
import type { Runs } from '../runs/runs.ts'
import type { Collected } from './collect-garbage.ts'
import type { LandOptions } from './land-run.ts'
import type { MergeOptions, MergeResult } from './merge-run.ts'
import type { RemovedRun } from './remove-run.ts'

/** An open state folder: starts, resumes, forks and inspects runs. Made by `openHost`. */
export interface Host extends Runs {
  /** The gateway that agents of its runs use to call models. */
  readonly models: SharedGateway
  /** The loop types that loop files can use. Absent: the built-in ones. */
  readonly loopTypes?: readonly LoopTypeDefinition[]
  /**
   * Prepares a new run that repeats another from its recording: it calls no model, asks no person, performs no action
   * and costs nothing. It starts when `start` is called.
   */
  replay(run: string, options?: ReplayOptions): Promise<Replay>
  /** The changes of a run or of one of its iterations. None of its files is executed. */
  diff(run: string, options?: DiffOptions): Promise<RunDiff>
  /** The changes that an open question of a run is about. */
  reviewQuestion(run?: string): Promise<QuestionChanges>
  /** Merges the work of a completed run into a branch, without touching a checkout. */
  merge(run: string, options?: MergeOptions): Promise<MergeResult>
  /** Merges the branch with the work of a completed run into a branch of the user, without touching a checkout. */
  land(run: string, options: LandOptions): Promise<MergeResult>
  inspect(run: string): Promise<Inspection>
  /**
   * Removes a run permanently. It must have ended, or `force` is set and no process drives it. Its forks are not
   * affected. Its worktree is removed too, unless it contains work that is in no commit. Resolves with the removed run.
   */
  remove(run: string, options?: RemoveOptions): Promise<RemovedRun>
  /** Removes content that no run names, older than an hour. */
  collectGarbage(): Promise<Collected>
  /** Problems of the state folder; empty if there are none. Reads all content that the journal refers to. */
  problems(): Promise<readonly string[]>
  /** Extracts a recorded tree, by its hash or a prefix of it, into an empty folder. */
  extract(tree: string, folder: string): Promise<TreeId>
  close(): Promise<void>
}
