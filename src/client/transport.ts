/**
 * Requests to a daemon over `node:http`, which starts faster than `fetch` and knows Unix sockets.
 *
 * 1. Each request has a connection of its own: none is left from a daemon that has ended.
 * 2. Everything has an end: a time for the whole of an answer, a size, and for streams a longest
 *    silence, after which the other side counts as gone.
 */

import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { defined, LoopError } from '../loop/index.ts'
import { rejectionFrom } from './problem.ts'
import { describeWay, type Way } from './way.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface Ask {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

export interface Transport {
  /** Where it leads, for people. */
  readonly where: string
  /** The answer's JSON; undefined where there is none. Rejects with what the daemon says. */
  json(method: Method, path: string, ask?: Ask): Promise<unknown>
  /** The answer as text, such as a patch or an artifact. */
  text(method: Method, path: string, ask?: Ask): Promise<string>
  /** The body as it comes; undefined where there is none and never will be. */
  stream(path: string, ask?: Ask): Promise<AsyncIterable<Uint8Array> | undefined>
}

/** The daemon cannot be reached, or went away in the middle. */
export class GoneError extends LoopError {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('not-available', message, options)
    this.name = 'GoneError'
  }
}

const answerBytesMax = 256 * 1024 * 1024
const timeoutMs = 60_000
/** Streams send a sign of life every 15 s. */
export const silenceMs = 45_000

/** The token is asked for with each request: a file of it may have been replaced. */
export function createTransport(way: Way, token: () => string): Transport {
  const where = describeWay(way)

  async function answered(method: Method, path: string, ask: Ask = {}): Promise<string> {
    const limit = AbortSignal.timeout(ask.timeoutMs ?? timeoutMs)
    const signal = AbortSignal.any([limit, ...(ask.signal === undefined ? [] : [ask.signal])])
    const { answer } = await send(method, path, { ...ask, signal })
    const body = await readBody(answer, where)
    const status = answer.statusCode ?? 0
    if (status >= 200 && status < 300) return body
    throw rejectionFrom(status, body, where)
  }

  async function send(method: Method, path: string, ask: Ask): Promise<Sent> {
    const body = ask.body === undefined ? undefined : JSON.stringify(ask.body)
    const headers = {
      authorization: `Bearer ${token()}`,
      accept: 'application/json',
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      ...ask.headers,
    }
    const { signal } = ask
    const options = { ...targetOf(way, path), method, headers, agent: false }
    const asked = await begin(way, { ...options, ...defined({ signal }) })
    return new Promise((resolve, reject) => {
      asked.once('response', (answer) => resolve({ asked, answer }))
      asked.on('error', (cause) =>
        reject(signal?.aborted === true ? aborted(cause, where, ask) : gone(cause, where)),
      )
      asked.end(body)
    })
  }

  return {
    where,
    async json(method, path, ask) {
      const text = await answered(method, path, ask)
      if (text === '') return undefined
      try {
        return JSON.parse(text) as unknown
      } catch (cause) {
        throw new LoopError(
          'not-available',
          `${where} does not answer like a daemon of Loopwright. Is it another program? See: loopctl daemon status`,
          { cause },
        )
      }
    },
    text: answered,
    async stream(path, ask = {}) {
      const { asked, answer } = await send('GET', path, {
        ...ask,
        headers: { accept: 'text/event-stream', ...ask.headers },
      })
      const status = answer.statusCode ?? 0
      if (status === 204) {
        answer.resume()
        return undefined
      }
      if (status !== 200) throw rejectionFrom(status, await readBody(answer, where), where)
      asked.setTimeout(silenceMs, () => answer.destroy(new Error('nothing was heard for too long')))
      return answer
    },
  }
}

interface Sent {
  readonly asked: ClientRequest
  readonly answer: IncomingMessage
}

function targetOf(way: Way, path: string): RequestOptions {
  if (way.type === 'socket') {
    return { socketPath: way.path, path, headers: { host: 'localhost' } }
  }
  const { hostname, port } = way.url
  return { host: hostname.replace(/^\[|\]$/g, ''), ...(port === '' ? {} : { port }), path }
}

async function begin(way: Way, options: RequestOptions): Promise<ClientRequest> {
  if (way.type === 'socket' || way.url.protocol === 'http:') return request(options)
  const https = await import('node:https')
  return https.request(options)
}

async function readBody(answer: IncomingMessage, where: string): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      bytes += part.length
      if (bytes > answerBytesMax)
        throw new LoopError(
          'not-available',
          `The answer of ${where} is too long. Ask for less of it.`,
        )
      parts.push(part)
    }
  } catch (cause) {
    throw cause instanceof LoopError ? cause : gone(cause, where)
  }
  return Buffer.concat(parts).toString('utf8')
}

function aborted(cause: unknown, where: string, { signal }: Ask): unknown {
  const reason: unknown = signal?.reason
  if (!(reason instanceof DOMException) || reason.name !== 'TimeoutError') return reason
  return new GoneError(
    `The daemon at ${where} did not answer in time. Look at: loopctl daemon logs`,
    { cause },
  )
}

function gone(cause: unknown, where: string): GoneError {
  const why = cause instanceof Error ? cause.message : String(cause)
  const advice = 'Start it with: loopctl daemon start, or name another with --addr.'
  return new GoneError(`No daemon answers at ${where} (${why}). ${advice}`, { cause })
}
