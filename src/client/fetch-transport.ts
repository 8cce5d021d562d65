/**
 * Requests with `fetch`, for a page in a browser.
 *
 * 1. A request carries the token and nothing else that identifies the person: no cookies, no redirects.
 * 2. Everything is bounded: responses in time, streams by the longest silence, after which the daemon counts as gone.
 */

import { toRejection } from './problem.ts'
import { readChunks } from './read-chunks.ts'
import {
  DaemonGoneError,
  type Method,
  parseJson,
  requestTimeoutMs,
  silenceMs,
  type Transport,
  type TransportRequest,
} from './transport.ts'

/** `origin`: that of the daemon, such as `http://127.0.0.1:7700`. */
export function createFetchTransport(origin: string, token: string): Transport {
  async function send(method: Method, path: string, init: TransportRequest): Promise<Response> {
    const { body, headers, signal = null } = init
    try {
      return await fetch(`${origin}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal,
        credentials: 'omit',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
      })
    } catch (cause) {
      throw whenFailed(cause, init, origin)
    }
  }

  async function fetchText(
    method: Method,
    path: string,
    init: TransportRequest = {},
  ): Promise<string> {
    const limit = AbortSignal.timeout(init.timeoutMs ?? requestTimeoutMs)
    const signal = init.signal === undefined ? limit : AbortSignal.any([limit, init.signal])
    const response = await send(method, path, { ...init, signal })
    const text = await response.text().catch((cause: unknown) => {
      throw whenFailed(cause, { signal }, origin)
    })
    if (response.ok) return text
    throw toRejection(response.status, text, origin)
  }

  return {
    where: origin,
    json: async (method, path, init) => parseJson(await fetchText(method, path, init), origin),
    text: fetchText,
    async stream(path, init = {}) {
      const silence = new AbortController()
      const signals = init.signal === undefined ? [] : [init.signal]
      const signal = AbortSignal.any([silence.signal, ...signals])
      const headers = { accept: 'text/event-stream', ...init.headers }
      const response = await send('GET', path, { ...init, headers, signal })
      if (response.status === 204 || response.body === null) return undefined
      if (!response.ok) throw toRejection(response.status, await response.text(), origin)
      return withoutSilence(response.body, silence, signal, origin)
    },
  }
}

async function* withoutSilence(
  body: ReadableStream<Uint8Array>,
  silence: AbortController,
  signal: AbortSignal,
  where: string,
): AsyncGenerator<Uint8Array> {
  const giveUp = (): void => silence.abort(new DaemonGoneError(`${where} sends nothing.`))
  let timer = setTimeout(giveUp, silenceMs)
  try {
    for await (const chunk of readChunks(body, signal)) {
      clearTimeout(timer)
      timer = setTimeout(giveUp, silenceMs)
      yield chunk
    }
  } finally {
    clearTimeout(timer)
  }
}

function whenFailed(cause: unknown, { signal }: TransportRequest, where: string): unknown {
  const reason: unknown = signal?.aborted === true ? signal.reason : undefined
  const isTimeout = reason instanceof DOMException && reason.name === 'TimeoutError'
  if (reason !== undefined && !isTimeout) return reason
  const what = isTimeout ? 'did not answer in time' : 'does not answer'
  return new DaemonGoneError(`The daemon at ${where} ${what}. Start it: loopctl daemon start`, {
    cause,
  })
}
