/** The statuses of runs, and the names that the source documents have for them. */

import { z } from 'zod'
import { type RunStatus, statusAliases, transitions } from '../../loop/index.ts'

export const runStatuses: readonly RunStatus[] = Object.keys(transitions).filter(isStatus)

export const runStatusSchema: z.ZodType<RunStatus> = z.enum(runStatuses)

/** Ours, or that of a document, such as `CANCELED`. */
export const namedStatusSchema: z.ZodType<string> = z.enum([
  ...new Set([...runStatuses, ...Object.keys(statusAliases)]),
])

function isStatus(name: string): name is RunStatus {
  return Object.hasOwn(transitions, name)
}
