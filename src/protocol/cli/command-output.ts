/** Describes the output of a command with `--json`. */

import { z } from 'zod'
import type { AgentStatus } from '../api/index.ts'

export interface CommandOutput {
  /** The schema of the value, or of each line. */
  readonly schema: z.ZodType
  /** Exactly one value, or any number of lines (NDJSON). */
  readonly prints: 'one' | 'lines'
  readonly description: string
}

export const one = (description: string, schema: z.ZodType): CommandOutput => ({
  schema,
  prints: 'one',
  description,
})

export const lines = (description: string, schema: z.ZodType): CommandOutput => ({
  schema,
  prints: 'lines',
  description,
})

export const text: z.ZodString = z.string()
export const texts: z.ZodType<readonly string[]> = z.array(z.string()).readonly()

/** Agents as the daemon finds them. */
export const agentStatuses: z.ZodType<readonly AgentStatus[]> = z.array(
  z.strictObject({
    name: text,
    state: z.enum(['ready', 'no-key', 'missing']),
    keyVariable: text.exactOptional(),
  }),
)
