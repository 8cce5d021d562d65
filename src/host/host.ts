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
import type { MergeResult } from '../workspace/index.ts'
import type { Collected } from './collect-garbage.ts'
import type { MergeOptions } from './merge-run.ts'
import type { RemovedRun } from './remove-run.ts'

/** An open state folder: starts, resumes, forks and inspects runs. Made by `openHost`. */
export interface Host extends Runs {
  /** The way to models for agents of its runs. */
  readonly models: SharedGateway
  /** The loop types that loop files can name. Absent: the built-in ones. */
  readonly loopTypes?: readonly LoopTypeDefinition[]
  /**
   * A run of its own that does another again from its record: no model and no person is asked, no action
   * is performed, nothing is paid. Nothing starts before `start` is called.
   */
  replay(run: string, options?: ReplayOptions): Promise<Replay>
  /** What a run changed, or one of its iterations. Nothing of its files is run for it. */
  diff(run: string, options?: DiffOptions): Promise<RunDiff>
  /** All that an open question of a run is about. */
  reviewQuestion(run?: string): Promise<QuestionChanges>
  /** Lands the work of a run that completed on a branch, in memory. */
  merge(run: string, options?: MergeOptions): Promise<MergeResult>
  inspect(run: string): Promise<Inspection>
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
