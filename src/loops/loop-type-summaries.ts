/** The built-in loop types as data: `loopctl help` lists them without loading a schema. */

import { buildSummary } from './build/build-summary.ts'
import { plainSummary } from './plain/plain-summary.ts'
import { roundSummary } from './round/round-summary.ts'
import { tuneSummary } from './tune/tune-summary.ts'

export interface LoopTypeSummary {
  readonly name: string
  /** What it does, in a sentence. */
  readonly description: string
  /** It declares operations, so `loopctl <type>` is a command. */
  readonly hasOperations: boolean
}

/** In the order of `registry.ts`; a test compares the two. */
export const loopTypeSummaries: readonly LoopTypeSummary[] = [
  plainSummary,
  buildSummary,
  roundSummary,
  tuneSummary,
]
