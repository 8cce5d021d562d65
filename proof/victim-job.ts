/** What a victim is told when it is started. */

import type { Phase } from './failpoints.ts'
import type { Sabotage } from './sabotage.ts'

export interface Kill {
  readonly site: string
  readonly phase: Phase
  readonly occurrence: number
}

export interface VictimJob {
  readonly base: string
  readonly rounds: number
  readonly kill?: Kill | undefined
  /** Where to write how often each failpoint was reached. */
  readonly counts?: string | undefined
  readonly sabotage?: Sabotage | undefined
}
