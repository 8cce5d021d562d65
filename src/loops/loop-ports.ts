/**
 * What a loop type can use besides `it`, in its steps. Given when the loop is opened for a run; a loop that is only looked at
 * has none.
 */

import type { Signal } from '../loop/index.ts'
import type { Gather } from './context/gather.ts'
import type { MeasuredCommand } from './context/measure.ts'
import type { SkillReader } from './context/skills.ts'

export interface LoopPorts {
  /** The name of the run. */
  readonly run: string
  readonly skills: SkillReader
  /** Runs a command in the sandbox of the run and returns what it wrote to the file `LOOP_METRICS_OUT`. */
  measure(request: MeasureRequest, signal: Signal): Promise<MeasuredCommand>
  /** Reads sources outside of the files: history, issues, CI. Absent: not supported. */
  readonly gather?: Gather
}

export interface MeasureRequest {
  readonly command: string
  readonly timeoutMs: number
  readonly iteration: number
  /** Relative to the root of the workspace. Absent: the loop has none. */
  readonly spec?: string
}
