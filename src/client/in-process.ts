/** A client that is answered in this process, by a function instead of a daemon. */

import type { Client } from './client.ts'
import { createClient } from './create-client.ts'
import { toRejection } from './problem.ts'
import { readChunks } from './read-chunks.ts'
import type { Method, Transport, TransportRequest } from './transport.ts'

/** `onError` gets the error that an answer is about, if there is one. */
export type Answer = (request: Request, onError: (error: unknown) => void) => Promise<Response>

/** `where`: what the client talks to, for messages. */
export const connectInProcess = (answer: Answer, where: string): Client =>
  createClient(createInProcessTransport(answer, where))

/** Without limits of time and size: the work is done in this process, and a person can interrupt it. */
function createInProcessTransport(answer: Answer, where: string): Transport {
  async function send(method: Method, path: string, ask: TransportRequest): Promise<Response> {
    const { signal } = ask
    signal?.throwIfAborted()
    let failure: { readonly error: unknown } | undefined
    const request = new Request(`http://in-process${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
        ...ask.headers,
      },
      ...(ask.body === undefined ? {} : { body: JSON.stringify(ask.body) }),
      ...(signal === undefined ? {} : { signal }),
    })
    const response = await answer(request, (error) => {
      failure = { error }
    })
    if (response.ok) return response
    // The error itself, with its class, its details and its cause.
    if (failure !== undefined) throw failure.error
    throw toRejection(response.status, await response.text(), where)
  }

  return {
    where,
    async json(method, path, ask = {}) {
      const text = await (await send(method, path, ask)).text()
      return text === '' ? undefined : (JSON.parse(text) as unknown)
    },
    text: async (method, path, ask = {}) => (await send(method, path, ask)).text(),
    async stream(path, ask = {}) {
      const headers = { accept: 'text/event-stream', ...ask.headers }
      const { status, body } = await send('GET', path, { ...ask, headers })
      return status === 204 || body === null ? undefined : readChunks(body, ask.signal)
    },
  }
}
