/** What a person tells a run while it works: free text, or a comment on a line of its diff. */

import type { TreeId } from '../ids.ts'

export interface Guidance {
  /** The id of the decision it came with. */
  readonly id: number
  readonly by: string
  readonly atMs: number
  readonly text: string
  /** The line that it is about. Absent: the run as a whole. */
  readonly at?: LinePlace
}

/** A line of a file in a tree. */
export interface LinePlace {
  readonly file: string
  readonly line: number
  readonly tree?: TreeId
}

/** The most that waits to be delivered (E9). */
export const guidanceMax = 100
