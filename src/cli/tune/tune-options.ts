/** The options of `loopctl tune`. */

import type { DetachOption, RunOptions } from '../start/start-options.ts'

export interface TuneOptions extends Omit<RunOptions, 'pick'>, DetachOption {
  readonly manifest?: string
  readonly plan?: string
  readonly case?: readonly string[]
  /** A run, or the path of a LOOP_LOG.md. True: the newest run of this folder. */
  readonly continue?: string | true
  readonly mode?: string
  readonly framing?: string
  readonly answers?: string
  readonly request?: string
  readonly pick?: 'ask' | 'policy'
  readonly apply?: string
  readonly composer?: string
  readonly reviewer?: string
}
