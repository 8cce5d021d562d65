/** What a client needs of the connection to a daemon: requests, and bodies that are read as they arrive. */

import { LoopError } from '../loop/index.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface TransportRequest {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

export interface Transport {
  /** The address of the daemon, for messages. */
  readonly where: string
  /** The JSON of the response; undefined if it has no body. Rejects if the daemon reports a problem. */
  json(method: Method, path: string, init?: TransportRequest): Promise<unknown>
  /** The response as text, such as a patch or an artifact. */
  text(method: Method, path: string, init?: TransportRequest): Promise<string>
  /** The body as a stream; undefined if there is none and never will be. */
  stream(path: string, init?: TransportRequest): Promise<AsyncIterable<Uint8Array> | undefined>
}

/** The daemon cannot be reached, or the connection was lost. */
export class DaemonGoneError extends LoopError {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('not-available', message, options)
    this.name = 'DaemonGoneError'
  }
}

/** How long a response may take by default. */
export const requestTimeoutMs = 60_000
/** Streams send a heartbeat every 15 s. */
export const silenceMs = 45_000

/** Rejects if a body is not JSON: another program may have taken the port. */
export function parseJson(text: string, where: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new LoopError(
      'not-available',
      `${where} does not answer like a Loopwright daemon. It may be another program. See: loopctl daemon status`,
      { cause },
    )
  }
}
