/** What the readers of sources share. */

import type { History } from '../../../workspace/index.ts'
import type { AskGithub } from './github.ts'

/** What one reader found. */
export interface ReadSource {
  /** Empty: there is nothing. */
  readonly text: string
  /** What its digest is made of. */
  readonly facts: unknown
  readonly isCut?: boolean
  readonly numbers?: readonly number[]
}

export interface SourcePorts {
  /** Undefined: the run has none. */
  readonly workspace: string | undefined
  history(): Promise<History>
  readonly github: AskGithub
  readonly nowMs: number
}
