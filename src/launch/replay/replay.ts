/** The interface of a replay. */

import type { AnyLoopType, RunRow } from '../../engine/index.ts'
import type { Amount, Level, RunId, RunState, Source } from '../../loop/index.ts'
import type { RunParts } from '../../runs/options.ts'
import type { RunHandle } from '../../runs/run-handle.ts'
import type { OpenContext } from '../open-context.ts'
import type { Difference } from './find-difference.ts'

export interface ReplayOptions {
  /** An empty folder for the files; default: one in the state folder. */
  readonly workspace?: string
  /** The run is an interrupted replay: resume it. */
  readonly resume?: boolean
}

/** A recorded run that is ready to be replayed. Returned by `host.replay`. */
export interface Replay {
  /** The run that is replayed. */
  readonly original: { readonly run: RunRow; readonly state: RunState; readonly level: Level }
  /** The number of recorded exchanges with models. If there are none, the agent itself runs again. */
  readonly exchanges: number
  /** Why the recording ends before the run would have, if so. */
  readonly end: string | undefined
  /** Undefined: the original had no files. */
  readonly workspace: string | undefined
  /** For `openLoop`, so that no model is called. */
  readonly answers: NonNullable<OpenContext['replay']>
  /**
   * Copies files of the loop (`LoadedLoop.files`) from the workspace of the original, because agents that list
   * files see them. Resolves with their new paths, which are not part of the tree.
   */
  bringFiles(files: readonly string[]): Promise<readonly string[]>
  /** Throws `code-changed` if the loop file has changed. */
  requireFile(digest: string): void
  /** Creates or resumes the run, and drives it. */
  start(loop: AnyLoopType, options: ReplayStart): Promise<RunHandle>
  /** Compares the replay with the original. */
  result(run: RunId): Promise<ReplayResult>
  /** Removes the workspace, unless the user chose it. */
  removeFiles(): Promise<void>
}

/** The parts of the loop, and settings of the new run. */
export interface ReplayStart extends RunParts {
  readonly name?: string
  readonly source?: Source
  /** Another loop file is used on purpose. */
  readonly changedFile?: boolean
  /** Receives paths outside the tree (`exclude`, `.git`) that could not be copied. */
  readonly onProblem?: (problem: string) => void
}

/** Whether a replay did the same as the recorded run. */
export interface ReplayResult {
  readonly same: boolean
  /** The first difference. */
  readonly difference?: Difference
  /** Why the recording ends before the run would have, if so. */
  readonly end?: string
  /** How many exchanges were answered from the recording. */
  readonly exchanges: number
  /** How many recorded iterations were replayed. */
  readonly iterations: number
  /** What the original run spent; the replay itself cost nothing. */
  readonly recorded: Amount
}
