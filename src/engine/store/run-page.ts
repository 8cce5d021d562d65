/** Lists of runs, newest first, in pages. */

import type { RunStatus } from '../../loop/index.ts'
import type { RunRow } from './journal.ts'

export interface RunFilter {
  /** Any of these. */
  readonly status?: readonly RunStatus[]
  /** The folder that it works in, or the checkout that its worktree belongs to. */
  readonly workspace?: string
  readonly loop?: string
  /** A prefix of its name. */
  readonly name?: string
  readonly createdAfterMs?: number
  readonly createdBeforeMs?: number
}

export interface RunPageOptions extends RunFilter {
  /** Default: 100. */
  readonly limit?: number
  /** `next` of the previous page. */
  readonly before?: number
}

export interface RunPage {
  readonly runs: readonly RunRow[]
  /** Where the next page begins. Absent: this is the last one. */
  readonly next?: number
}
