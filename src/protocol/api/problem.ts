/** Errors as RFC 9457, `application/problem+json`. */

import { z } from 'zod'
import type { ErrorDetails } from '../../loop/index.ts'
import { published } from '../values.ts'

/** Includes the details of the message in machine-readable form. */
export interface Problem extends ErrorDetails {
  /** `urn:loopwright:problem:<code>`. */
  readonly type: string
  readonly title: string
  readonly status: number
  /** What is wrong, and what to do next. */
  readonly detail: string
  /** A code of `errorTable`, or of HTTP itself, such as `method-not-allowed`. */
  readonly code: string
  /** The id of this request in the daemon's log. */
  readonly instance?: string
  /** Which fields of the request are wrong. */
  readonly errors?: readonly FieldProblem[]
}

export interface FieldProblem {
  /** Such as `body.limits.iterations` or `query.limit`. */
  readonly field: string
  readonly reason: string
}

export const problemSchema: z.ZodType<Problem> = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    code: z.string(),
    instance: z.string().exactOptional(),
    errors: z
      .array(z.strictObject({ field: z.string(), reason: z.string() }))
      .readonly()
      .exactOptional(),
    candidates: z
      .array(z.strictObject({ id: z.string(), name: z.string() }))
      .readonly()
      .exactOptional(),
    possible: z.array(z.string()).readonly().exactOptional(),
    variables: z.array(z.string()).readonly().exactOptional(),
    conflict: z
      .strictObject({
        target: z.string(),
        branch: z.string(),
        files: z.array(z.string()).readonly(),
      })
      .exactOptional(),
    preview: z
      .strictObject({
        file: z.string(),
        digest: z.string(),
        powers: z.array(z.string()).readonly(),
      })
      .exactOptional(),
  })
  .register(published, { id: 'Problem' })
