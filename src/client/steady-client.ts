/**
 * The same client, over a daemon that goes away and comes back. What changes nothing, and a new run by its
 * key, is asked for again, of the daemon that is there then, for half a minute. Everything else might be
 * done twice, and is not.
 */

import { randomUUID } from 'node:crypto'
import { isLoopError, LoopError } from '../loop/index.ts'
import type { Client } from './client.ts'
import { GoneError } from './transport.ts'

/** How long and how often `steadyClient` tries again. */
export interface SteadyOptions {
  readonly windowMs?: number
  readonly pauseMs?: number
}

/** `find` resolves when one answers, and may start it. */
export function steadyClient(
  first: Client,
  find: () => Promise<Client>,
  { windowMs = 30_000, pauseMs = 200 }: SteadyOptions = {},
): Client {
  let client = first
  async function steady<T>(ask: (client: Client) => Promise<T>): Promise<T> {
    const endMs = performance.now() + windowMs
    for (;;) {
      try {
        return await ask(client)
      } catch (error) {
        if (!isPassing(error) || performance.now() >= endMs) throw error
        await new Promise((resolve) => void setTimeout(resolve, pauseMs))
        client = await find()
      }
    }
  }
  return {
    ...first,
    previewLoop: (file) => steady((one) => one.previewLoop(file)),
    inspect: (run) => steady((one) => one.inspect(run)),
    createRun: (request, key = randomUUID()) =>
      steady((one) => one.createRun(request, key)).catch((error: unknown) => {
        throw isLoopError(error, 'not-available') ? perhapsAccepted(error) : error
      }),
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof GoneError || isLoopError(error, 'daemon-ending')

const perhapsAccepted = (cause: LoopError): LoopError =>
  new LoopError(
    'not-available',
    `${cause.message} The run may have been accepted all the same: see loopctl list before it is asked for again.`,
    { cause },
  )
