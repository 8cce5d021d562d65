/**
 * A client that survives a restart of the daemon. For half a minute it repeats requests that change
 * nothing, and the creation of a run, which has an idempotency key. Other requests are not repeated,
 * because they might be executed twice.
 */

import { isLoopError, LoopError } from '../loop/index.ts'
import type { Client } from './client.ts'
import { DaemonGoneError } from './transport.ts'

/** How long and how often `steadyClient` tries again. */
export interface ReconnectOptions {
  readonly windowMs?: number
  readonly pauseMs?: number
}

/** `find` resolves once a daemon answers; it may start one. */
export function steadyClient(
  first: Client,
  find: () => Promise<Client>,
  { windowMs = 30_000, pauseMs = 200 }: ReconnectOptions = {},
): Client {
  let client = first
  async function withRetry<T>(request: (client: Client) => Promise<T>): Promise<T> {
    const endMs = performance.now() + windowMs
    for (;;) {
      try {
        return await request(client)
      } catch (error) {
        if (!isTransient(error) || performance.now() >= endMs) throw error
        await new Promise((resolve) => void setTimeout(resolve, pauseMs))
        client = await find()
      }
    }
  }
  return {
    ...first,
    previewLoop: (file) => withRetry((current) => current.previewLoop(file)),
    inspect: (run) => withRetry((current) => current.inspect(run)),
    createRun: (request, key = crypto.randomUUID()) =>
      withRetry((current) => current.createRun(request, key)).catch((error: unknown) => {
        throw isLoopError(error, 'not-available') ? perhapsAccepted(error) : error
      }),
  }
}

const isTransient = (error: unknown): boolean =>
  error instanceof DaemonGoneError || isLoopError(error, 'daemon-ending')

const perhapsAccepted = (cause: LoopError): LoopError =>
  new LoopError(
    'not-available',
    `${cause.message} The run may have been accepted. Before you start it again, look for it: loopctl list`,
    { cause },
  )
