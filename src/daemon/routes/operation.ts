/**
 * One operation of the API: its parameters, its responses and its handler. Routes, validation and the OpenAPI
 * document are all derived from it, so that they cannot differ.
 */

import type { Context } from 'hono'
import type { z } from 'zod'
import type { DaemonParts } from '../parts.ts'
import type { Parameters, Values } from './parameter.ts'

export type Method = 'get' | 'post' | 'patch' | 'delete'

export interface Definition<P extends Parameters, Q extends Parameters, H extends Parameters, B> {
  /** The name of the operation for generated clients. */
  readonly id: string
  /** `get` never changes anything. */
  readonly method: Method
  /** Such as `/runs/{run}/events`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly params?: P
  readonly query?: Q
  readonly headers?: H
  /** Only for operations that change something. Default: `{}`. */
  readonly body?: {
    readonly schema: Schema<B>
    readonly example: object
    /** For fields that do not exist: what to use instead. */
    readonly replaced?: Readonly<Record<string, string>>
  }
  /** Responses by status, without problems. */
  readonly responses: Readonly<Record<number, ResponseShape>>
  /** Statuses of problems in addition to those that every operation has. */
  readonly problems?: readonly number[]
  /** The response always changes, so it gets no ETag. */
  readonly isLive?: true
  handle(parts: DaemonParts, request: OperationRequest<P, Q, H, B>): Promise<Reply>
}

/** A schema, or how to load it: `loopctl list` needs none, and zod takes longer to load than all of the CLI. */
export type Schema<T = unknown> = z.ZodType<T> | (() => Promise<z.ZodType<T>>)

export const loadSchema = async <T>(schema: Schema<T>): Promise<z.ZodType<T>> =>
  typeof schema === 'function' ? schema() : schema

export interface ResponseShape {
  readonly description: string
  /** By media type. `undefined`: any content. */
  readonly content?: Readonly<Record<string, Schema | undefined>>
  readonly headers?: Readonly<Record<string, string>>
}

export interface OperationRequest<
  P extends Parameters,
  Q extends Parameters,
  H extends Parameters,
  B,
> {
  readonly params: Values<P>
  readonly query: Values<Q>
  readonly headers: Values<H>
  readonly body: B
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal
  /** A HEAD request. */
  readonly isHead: boolean
  /** The raw request. */
  readonly context: Context
}

/** A value to send as JSON, or a complete response. */
export type Reply =
  | {
      readonly status: number
      readonly value: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  | Response

export type Operation = Definition<Parameters, Parameters, Parameters, unknown>

type None = Readonly<Record<string, never>>

export const operation = <
  P extends Parameters = None,
  Q extends Parameters = None,
  H extends Parameters = None,
  B = None,
>(
  definition: Definition<P, Q, H, B>,
): Operation => definition

export const json = (description: string, schema: Schema): ResponseShape => ({
  description,
  content: { 'application/json': schema },
})

export const ok = (value: unknown): Reply => ({ status: 200, value })
