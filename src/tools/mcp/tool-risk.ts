/**
 * The risk of a server's tool. A server's annotations are hints, and a malicious server claims that
 * its tools are harmless: risks that matter must be enforced by policy and sandbox. So hints lower
 * the risk only as far as the protocol defines them:
 *
 * 1. A tool without annotations is destructive, as the protocol assumes.
 * 2. A tool that claims to be destructive is destructive, whatever else it claims.
 * 3. A tool of an HTTP server is never below `network`: its arguments leave this machine.
 */

import { z } from 'zod'
import type { Risk } from '../../loop/index.ts'

/** A hint of the wrong type is ignored. */
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

export function toRisk(annotations: Annotations | undefined, isRemote: boolean): Risk {
  const { destructiveHint, idempotentHint, openWorldHint, readOnlyHint } = annotations ?? {}
  if (destructiveHint === true) return 'destructive'
  if (readOnlyHint !== true && destructiveHint !== false) return 'destructive'
  if (isRemote || openWorldHint === true) return 'network'
  if (readOnlyHint === true) return 'read-only'
  return idempotentHint === true ? 'idempotent' : 'network'
}
