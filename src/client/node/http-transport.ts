/**
 * Requests to a daemon over `node:http`, which loads faster than `fetch` and supports Unix sockets.
 *
 * 1. Each request uses a new connection, so none is left over from a daemon that has ended.
 * 2. Everything is bounded: responses in time and size, streams by the longest silence, after which the
 *    daemon counts as gone.
 */

import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { LoopError } from '../../loop/index.ts'
import { toRejection } from '../problem.ts'
import {
  DaemonGoneError,
  type Method,
  parseJson,
  requestTimeoutMs,
  silenceMs,
  type Transport,
  type TransportRequest,
} from '../transport.ts'
import { describeEndpoint, type Endpoint } from './endpoint.ts'

const responseBytesMax = 256 * 1024 * 1024

/** `token` is called for each request, because its file may have been replaced. */
export function createHttpTransport(endpoint: Endpoint, token: () => string): Transport {
  const where = describeEndpoint(endpoint)

  async function fetchText(
    method: Method,
    path: string,
    init: TransportRequest = {},
  ): Promise<string> {
    const limit = AbortSignal.timeout(init.timeoutMs ?? requestTimeoutMs)
    const signal = AbortSignal.any([limit, ...(init.signal === undefined ? [] : [init.signal])])
    const { response } = await send(method, path, { ...init, signal })
    const body = await readBody(response, where)
    const status = response.statusCode ?? 0
    if (status >= 200 && status < 300) return body
    throw toRejection(status, body, where)
  }

  async function send(method: Method, path: string, init: TransportRequest): Promise<Exchange> {
    const body = init.body === undefined ? undefined : JSON.stringify(init.body)
    const headers = {
      authorization: `Bearer ${token()}`,
      accept: 'application/json',
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      ...init.headers,
    }
    const { signal } = init
    const options = { ...toRequestTarget(endpoint, path), method, headers, agent: false }
    const sent = await openRequest(
      endpoint,
      signal === undefined ? options : { ...options, signal },
    )
    return new Promise((resolve, reject) => {
      sent.once('response', (response) => resolve({ request: sent, response }))
      sent.on('error', (cause) =>
        reject(signal?.aborted === true ? aborted(cause, where, init) : gone(cause, where)),
      )
      sent.end(body)
    })
  }

  return {
    where,
    json: async (method, path, init) => parseJson(await fetchText(method, path, init), where),
    text: fetchText,
    async stream(path, init = {}) {
      const { request: sent, response } = await send('GET', path, {
        ...init,
        headers: { accept: 'text/event-stream', ...init.headers },
      })
      const status = response.statusCode ?? 0
      if (status === 204) {
        response.resume()
        return undefined
      }
      if (status !== 200) throw toRejection(status, await readBody(response, where), where)
      sent.setTimeout(silenceMs, () => response.destroy(new Error('no heartbeat')))
      return response
    },
  }
}

interface Exchange {
  readonly request: ClientRequest
  readonly response: IncomingMessage
}

function toRequestTarget(endpoint: Endpoint, path: string): RequestOptions {
  if (endpoint.type === 'socket') {
    return { socketPath: endpoint.path, path, headers: { host: 'localhost' } }
  }
  const { hostname, port } = endpoint.url
  return { host: hostname.replace(/^\[|\]$/g, ''), ...(port === '' ? {} : { port }), path }
}

async function openRequest(endpoint: Endpoint, options: RequestOptions): Promise<ClientRequest> {
  if (endpoint.type === 'socket' || endpoint.url.protocol === 'http:') return request(options)
  const https = await import('node:https')
  return https.request(options)
}

async function readBody(response: IncomingMessage, where: string): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      bytes += part.length
      if (bytes > responseBytesMax)
        throw new LoopError(
          'not-available',
          `The response of ${where} is too long. Ask for less data.`,
        )
      parts.push(part)
    }
  } catch (cause) {
    throw cause instanceof LoopError ? cause : gone(cause, where)
  }
  return Buffer.concat(parts).toString('utf8')
}

function aborted(cause: unknown, where: string, { signal }: TransportRequest): unknown {
  const reason: unknown = signal?.reason
  if (!(reason instanceof DOMException) || reason.name !== 'TimeoutError') return reason
  return new DaemonGoneError(
    `The daemon at ${where} did not answer in time. See its log: loopctl daemon logs`,
    { cause },
  )
}

function gone(cause: unknown, where: string): DaemonGoneError {
  const why = cause instanceof Error ? cause.message : String(cause)
  const advice = 'Choose another with --addr, or start it: loopctl daemon start'
  return new DaemonGoneError(`No daemon answers at ${where} (${why}). ${advice}`, { cause })
}
