/**
 * An operation of one loop type, such as `export` of `tune`. It is declared once, as schemas and a handler. The route of
 * the daemon, the method of the client and the command of `loopctl` are derived from it.
 *
 *   about nothing   /loop-types/tune/export              loopctl tune export --format csv
 *   about a run     /loop-types/tune/runs/{run}/export   loopctl tune export calm-otter --format csv
 */

import type { z } from 'zod'
import type { Blobs, Journal } from '../engine/index.ts'
import type { RunId, RunState } from '../loop/index.ts'
import type { LoopOperationName } from '../protocol/api/index.ts'

export interface LoopOperation<Body = unknown, Answer = unknown> extends LoopOperationName {
  readonly summary: string
  /** For `post`: the fields of the request. */
  readonly body?: { readonly schema: z.ZodType<Body>; readonly example: object }
  readonly answer: { readonly schema: z.ZodType<Answer>; readonly description: string }
  /** The answer as text for a terminal. Absent: JSON. */
  render?(answer: Answer): string
  handle(parts: OperationParts, request: OperationRequest<Body>): Promise<Answer>
}

export interface OperationParts {
  readonly journal: Journal
  readonly blobs: Blobs
}

export interface OperationRequest<Body> {
  /** For an operation about a run. */
  readonly run: { readonly id: RunId; readonly name: string; readonly state: RunState } | undefined
  readonly body: Body
  readonly signal: AbortSignal
}

/** Only adds types to an operation. */
export const loopOperation = <Body, Answer>(
  operation: LoopOperation<Body, Answer>,
): LoopOperation => operation
