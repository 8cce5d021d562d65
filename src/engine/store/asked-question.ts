/** Open questions of all runs. */

import type { Question, RunId } from '../../loop/index.ts'

export interface AskedQuestion {
  readonly run: RunId
  readonly name: string
  readonly id: string
  readonly question: Question
  readonly askedAtMs: number
  readonly deadlineAtMs: number
}

/** The last question of the previous page. */
export type AskedAfter = Pick<AskedQuestion, 'run' | 'id' | 'deadlineAtMs'>
