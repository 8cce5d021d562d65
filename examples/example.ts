/** What the proofs and `npm start` need to know about an example. */

import type { AnyLoopType, Limits, RunParts } from 'loopwright'

export interface Example {
  readonly loop: AnyLoopType
  readonly input: unknown
  /** With time for a person to answer, for `npm start`. */
  readonly interactiveInput?: unknown
  readonly limits?: Partial<Limits>
  /** The files it starts with, if it works on files. */
  readonly files?: Readonly<Record<string, string>>
  /** What it may use; `workspace` is the folder that holds its files. */
  parts(workspace: string | undefined): RunParts
}
