/** What the fold over a run's events carries along, and what it says of files. */

import type { RoleAppearances } from '../../loop/index.ts'
import type { ReportRow } from './report-row.ts'

export type FileChange =
  | { readonly type: 'append'; readonly path: string; readonly text: string }
  | { readonly type: 'put'; readonly path: string; readonly text: string }
  /** Files of iterations before this one do not grow any more. */
  | { readonly type: 'close'; readonly before: number }
  /** The last lines of another file. */
  | { readonly type: 'tail'; readonly path: string; readonly of: string }

export interface Carried {
  readonly hasBegun: boolean
  readonly startMs: number
  readonly endMs?: number
  readonly spec: string
  readonly iterationsMax: number
  /** How the agents of the loop appear; absent: as usual. */
  readonly roles?: RoleAppearances
  readonly model: string
  /** The iteration that is under way. */
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
  /** Of all that was printed in it. */
  readonly bytes: number
  readonly lines: number
  readonly log?: string
  readonly verify?: { readonly startedAtMs: number; readonly failed: number }
  readonly steps: { readonly [step: string]: number }
  /** The last thing that went wrong was the agent. */
  readonly agentFailed?: boolean
}

export const nothingYet: Carried = {
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

/** What one event does. */
export interface Change {
  readonly next: Carried
  readonly rows?: readonly ReportRow[]
  readonly changes?: readonly FileChange[]
}
