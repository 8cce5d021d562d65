/** How the output of a command with `--json` is described. */

import { z } from 'zod'
import type { AgentSeen } from '../api/index.ts'

export interface CommandOutput {
  /** Of the one value, or of each line. */
  readonly schema: z.ZodType
  /** How many values there are: one a line (NDJSON), as many as there are things, or exactly one. */
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
export const agentsSeen: z.ZodType<readonly AgentSeen[]> = z.array(
  z.strictObject({
    name: text,
    state: z.enum(['ready', 'no-key', 'missing']),
    keyVariable: text.exactOptional(),
  }),
)
