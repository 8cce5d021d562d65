/** A run that is done again from its record, as its callers see it. */

import type { AnyLoopType, RunRow } from '../../engine/index.ts'
import type { Amount, RunId, RunState, Source } from '../../loop/index.ts'
import type { RunParts } from '../../runs/options.ts'
import type { RunHandle } from '../../runs/run-handle.ts'
import type { OpenPlace } from '../launch-place.ts'
import type { Difference } from './compare.ts'

export interface ReplayOptions {
  /** An empty folder for the files; one in the record unless told. */
  readonly workspace?: string
  /** The run is a replay that was left, and goes on. */
  readonly resume?: boolean
}

/** A recorded run that is ready to be replayed. Returned by `host.replay`. */
export interface Replay {
  /** The run that is done again. */
  readonly original: { readonly run: RunRow; readonly state: RunState }
  /** Exchanges with models that are on record. Without one the agent itself is run again. */
  readonly exchanges: number
  /** Why the record ends where the run would have gone on, if so. */
  readonly end: string | undefined
  /** Where it works; undefined where the original had no files. */
  readonly workspace: string | undefined
  /** For `LoadedLoop.open`: models are not asked. */
  readonly answers: NonNullable<OpenPlace['replay']>
  /**
   * Files of the loop that lie among those of the original (`LoadedLoop.files`) are put where the replay
   * works, since whoever lists files sees them. Resolves with where they are: they are apart.
   */
  bringFiles(files: readonly string[]): Promise<readonly string[]>
  /** Rejects with `code-changed` where the loop file is not what it was. */
  requireFile(digest: string): void
  /** Creates the run, or takes it up again, and drives it. */
  start(loop: AnyLoopType, options: ReplayStart): Promise<RunHandle>
  /** Holds the replay against the record. */
  result(run: RunId): Promise<ReplayResult>
  /** Removes the workspace, unless somebody chose it. */
  removeFiles(): Promise<void>
}

/** What the loop opened, and what the new run is created with. */
export interface ReplayStart extends RunParts {
  readonly name?: string
  readonly source?: Source
  /** Another loop file is used on purpose. */
  readonly changedFile?: boolean
  /** Told of what is no part of the tree (`exclude`, `.git`) and could not be copied. */
  readonly onProblem?: (problem: string) => void
}

/** Whether a replay did the same as the recorded run. */
export interface ReplayResult {
  readonly same: boolean
  /** Where it first left the record. */
  readonly difference?: Difference
  /** Why the record ends where the run would have gone on, if so. */
  readonly end?: string
  /** How many were answered from the record. */
  readonly exchanges: number
  /** How many of those on record were done again. */
  readonly iterations: number
  /** What the run on record spent; the replay paid nothing of it. */
  readonly recorded: Amount
}
