/**
 * An operation that only runs of one loop type have, such as `export` of `tune`. It is declared once, as
 * schemas and a handler. Made from it: a route of the daemon, a method of the client, a command of `loopctl`.
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
  /** Of `post`: the fields of the request. */
  readonly body?: { readonly schema: z.ZodType<Body>; readonly example: object }
  readonly answer: { readonly schema: z.ZodType<Answer>; readonly description: string }
  handle(parts: OperationParts, asked: OperationAsked<Body>): Promise<Answer>
}

export interface OperationParts {
  readonly journal: Journal
  readonly blobs: Blobs
}

export interface OperationAsked<Body> {
  /** Of an operation about a run. */
  readonly run: { readonly id: RunId; readonly name: string; readonly state: RunState } | undefined
  readonly body: Body
  readonly signal: AbortSignal
}

/** Gives an operation its types, and changes nothing. */
export const loopOperation = <Body, Answer>(
  operation: LoopOperation<Body, Answer>,
): LoopOperation => operation
