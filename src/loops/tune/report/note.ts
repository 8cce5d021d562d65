/** Journals entries of the log when they are made: what is predicted is on disk before it is measured. */

import type { Iteration } from '../../../loop/index.ts'
import type { LogEntry } from './log-entry.ts'

/** The role of these steps: the log of a run is all of their results, in order. */
export const logRole = 'loop-log'

export const note = (
  it: Pick<Iteration, 'step'>,
  entries: readonly LogEntry[],
): Promise<readonly LogEntry[]> => it.step('log', () => entries, { readOnly: true, role: logRole })

/** A file in the run folder. A later one of the same name replaces it. */
export const writeDocument = (
  it: Pick<Iteration, 'step'>,
  file: string,
  text: string,
): Promise<unknown> => it.step(file, () => ({ file, text }), { readOnly: true, role: 'document' })
