/** The state of the fold over a run's events, and the file changes that it yields. */

import type { RoleAppearances } from '../../loop/index.ts'
import type { ReportRow } from './report-row.ts'

export type FileChange =
  | { readonly type: 'append'; readonly path: string; readonly text: string }
  | { readonly type: 'put'; readonly path: string; readonly text: string }
  /** Files of iterations before this one no longer grow. */
  | { readonly type: 'close'; readonly before: number }
  /** Writes the last lines of another file. */
  | { readonly type: 'tail'; readonly path: string; readonly of: string }

export interface FoldState {
  readonly hasBegun: boolean
  readonly startMs: number
  readonly endMs?: number
  readonly spec: string
  /** The plan that the input names. */
  readonly plan?: string
  /** Tasks of a plan, as the last step knew them. */
  readonly tasks?: { readonly done: number; readonly total: number }
  readonly iterationsMax: number
  /** How the agents of the loop appear; absent: as usual. */
  readonly roles?: RoleAppearances
  readonly model: string
  /** The current iteration. */
  readonly open?: OpenIteration
  readonly ended: number
  readonly endedMs: number
  readonly completedIteration?: number
  readonly completionMode?: string
  readonly lastExitCode: number
  readonly exitReason?: string
  readonly hasPrompt: boolean
  readonly lastLog?: string
  readonly lastTail?: string
}

export interface OpenIteration {
  readonly iteration: number
  readonly startedAtMs: number
  readonly exitCode: number
  /** The size of its output. */
  readonly bytes: number
  readonly lines: number
  readonly log?: string
  readonly verify?: { readonly startedAtMs: number; readonly failed: number }
  readonly steps: { readonly [step: string]: number }
  /** The agent was the last step that failed. */
  readonly agentFailed?: boolean
}

export const initialFoldState: FoldState = {
  hasBegun: false,
  startMs: 0,
  spec: '',
  iterationsMax: 0,
  model: '',
  ended: 0,
  endedMs: 0,
  lastExitCode: 0,
  hasPrompt: false,
}

export const reportFile = 'report.tsv'
export const runLogFile = 'run.log'

/** The effect of one event. */
export interface Change {
  readonly next: FoldState
  readonly rows?: readonly ReportRow[]
  readonly changes?: readonly FileChange[]
}
