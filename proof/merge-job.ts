/** What the parts of the proof of the merge queue tell each other. */

import type { NewMerge } from '#src/engine/index.ts'

/** A process that merges some of the requests, and may be killed on the way. */
export interface MergeJob {
  /** The folder of the history: `repository`, `state`. */
  readonly folder: string
  readonly requests: readonly NewMerge[]
  /** The boundary at which it kills itself. Absent: none. */
  readonly killAt?: number
  /** The boundary at which somebody else adds a commit to the target. Absent: nobody does. */
  readonly moveAt?: number
}

export const target = 'agent/shop'

/** Two green branches that each add a file with this word are red together. */
export const scarce = 'scarce'

/** Fails for files with marks of a conflict, and for more than one file with the scarce word. */
export const checkText = `
import { readdirSync, readFileSync } from 'node:fs'
const texts = readdirSync('.').filter((name) => name.endsWith('.txt')).map((name) => readFileSync(name, 'utf8'))
if (texts.some((text) => text.includes('<<<<<<<'))) process.exit(1)
process.exit(texts.filter((text) => text.includes('${scarce}')).length > 1 ? 1 : 0)
`
