/**
 * How risky a tool of a server is. What a server says about its tools is a hint, and a server that
 * lies says that its tools are harmless: a risk that matters must be kept by policy and sandbox. So
 * hints make a tool less risky only as far as the protocol defines them:
 *
 * 1. A tool without annotations is destructive, which is also what the protocol assumes.
 * 2. A tool that is said to destroy is destructive, whatever else is said.
 * 3. A tool of a server by HTTP is never below `network`: its arguments leave this machine.
 */

import { z } from 'zod'
import type { Risk } from '../../loop/index.ts'

/** A hint of the wrong type is no hint. */
const hint = z.boolean().optional().catch(undefined)
export const annotationsSchema: z.ZodType<Annotations | undefined> = z
  .object({
    readOnlyHint: hint,
    destructiveHint: hint,
    idempotentHint: hint,
    openWorldHint: hint,
  })
  .optional()
  .catch(undefined)

export interface Annotations {
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
  readonly idempotentHint?: boolean | undefined
  readonly openWorldHint?: boolean | undefined
}

export function riskOf(annotations: Annotations | undefined, isRemote: boolean): Risk {
  const { destructiveHint, idempotentHint, openWorldHint, readOnlyHint } = annotations ?? {}
  if (destructiveHint === true) return 'destructive'
  if (readOnlyHint !== true && destructiveHint !== false) return 'destructive'
  if (isRemote || openWorldHint === true) return 'network'
  if (readOnlyHint === true) return 'read-only'
  return idempotentHint === true ? 'idempotent' : 'network'
}
