/** Sends responses to a client in one piece, and returns what to record of them. */

import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { ProviderRefusal } from './forwarded-request.ts'
import { type Exchange, toBytes } from './recorded-exchange.ts'
import { finishResponse, type ResponseEnd } from './relay-response.ts'
import type { SessionTrouble } from './totals.ts'
import { toClientHeaders } from './wire/headers.ts'
import { type Refusal, refusalBody, refusalHeaders } from './wire/refusal.ts'
import type { Route } from './wire/route.ts'
import type { TurnReading } from './wire/turn.ts'
import { watchResponse } from './wire/watch-response.ts'

/** What the client received, as it is recorded. */
export interface SentResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  readonly isTruncated: boolean
  readonly ended: string
  /** The problem that the session now has, if any. */
  readonly trouble?: SessionTrouble | undefined
  /** Absent if no model has responded. */
  readonly turn?: TurnReading
}

interface Receiver {
  readonly route: Route
  readonly client: ServerResponse
}

/** A refusal by the gateway itself. */
export function sendRefusal(
  { route, client }: Receiver,
  refusal: Refusal,
  ended: string = refusal.kind,
): SentResponse {
  const { status } = refusal
  const headers = refusalHeaders(refusal)
  const bytes = Buffer.from(refusalBody(route.format, refusal))
  send(client, status, { ...headers, 'content-length': bytes.length }, bytes)
  return { status, headers, bytes, isTruncated: false, ended }
}

/** A refusal by the provider, with secrets masked that it may repeat. */
export function sendRefused(
  { client }: Receiver,
  { status, headers, body, kind, mask }: ProviderRefusal,
): SentResponse {
  const bytes = mask.mask(body)
  const passed = toClientHeaders(headers, mask)
  send(client, status, { ...passed, 'content-length': bytes.length }, bytes)
  const recorded = recordedHeaders(headers)
  return { status, headers: recorded, bytes, isTruncated: false, ended: kind }
}

/** A recorded response, with its recorded ending but without its delays. */
export function sendRecorded({ route, client }: Receiver, exchange: Exchange): SentResponse {
  const { answer, ended, trouble } = exchange
  const { status, isTruncated } = answer
  const { 'retry-after': retryAfter, ...headers } = answer.headers
  const bytes = toBytes(answer.body)
  const isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '')
  const watch = watchResponse(route.format, isStream)
  watch.push(bytes)
  watch.end()
  const immediately = retryAfter === undefined ? {} : { 'retry-after-ms': '1' }
  if (!client.destroyed) client.writeHead(status, { ...headers, ...immediately })
  const brokenEndings: readonly string[] = [
    'no-stop',
    'malformed',
    'cut',
    'idle',
    'too-slow',
    'client-gone',
  ]
  const end = brokenEndings.includes(ended) ? (ended as ResponseEnd) : 'complete'
  finishResponse({ client, format: route.format, ended: end, watch, isStream, rest: bytes })
  const { turn } = watch.reading
  return { status, headers, bytes, isTruncated, ended, trouble, ...(status < 300 ? { turn } : {}) }
}

function send(
  client: ServerResponse,
  status: number,
  headers: Parameters<ServerResponse['writeHead']>[1],
  bytes: Buffer,
): void {
  if (client.destroyed || client.headersSent) return
  client.writeHead(status, headers)
  client.end(bytes)
}

const recordedNames = [
  'content-type',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'request-id',
]

export function recordedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    recordedNames.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)] as const]
    }),
  )
}
