/** Answers that reach a client in one piece, and what is kept of them. */

import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { watchAnswer } from './answer-watch.ts'
import type { ProviderRefusal } from './forwarded-request.ts'
import { toClient } from './headers.ts'
import { bytesOfBody, type Exchange } from './record.ts'
import { type Refusal, refusalBody, refusalHeaders } from './refusal.ts'
import { type AnswerEnd, finishAnswer } from './relay-answer.ts'
import type { Route } from './route.ts'
import type { SessionTrouble } from './totals.ts'
import type { TurnReading } from './turn.ts'

/** What a client got, as it goes on record. */
export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  readonly isTruncated: boolean
  readonly ended: string
  /** What now stands in the way of the session, if anything does. */
  readonly trouble?: SessionTrouble | undefined
  /** Absent where no model has spoken. */
  readonly turn?: TurnReading
}

interface Receiver {
  readonly route: Route
  readonly client: ServerResponse
}

/** The gateway's own answer. */
export function sendRefusal(
  { route, client }: Receiver,
  refusal: Refusal,
  ended: string = refusal.kind,
): Answered {
  const { status } = refusal
  const headers = refusalHeaders(refusal)
  const bytes = Buffer.from(refusalBody(route.format, refusal))
  send(client, status, { ...headers, 'content-length': bytes.length }, bytes)
  return { status, headers, bytes, isTruncated: false, ended }
}

/** The provider's refusal, without secrets that it may repeat. */
export function sendRefused(
  { client }: Receiver,
  { status, headers, body, kind, mask }: ProviderRefusal,
): Answered {
  const bytes = mask.mask(body)
  const passed = toClient(headers, mask)
  send(client, status, { ...passed, 'content-length': bytes.length }, bytes)
  const recorded = recordedHeaders(headers)
  return { status, headers: recorded, bytes, isTruncated: false, ended: kind }
}

/** An answer of long ago, ending as it ended then. Nobody has to wait for it again. */
export function sendRecorded({ route, client }: Receiver, exchange: Exchange): Answered {
  const { answer, ended, trouble } = exchange
  const { status, isTruncated } = answer
  const { 'retry-after': retryAfter, ...headers } = answer.headers
  const bytes = bytesOfBody(answer.body)
  const isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '')
  const watch = watchAnswer(route.format, isStream)
  watch.push(bytes)
  watch.end()
  const atOnce = retryAfter === undefined ? {} : { 'retry-after-ms': '1' }
  if (!client.destroyed) client.writeHead(status, { ...headers, ...atOnce })
  const wasBroken: readonly string[] = [
    'no-stop',
    'malformed',
    'cut',
    'idle',
    'too-slow',
    'client-gone',
  ]
  const end = wasBroken.includes(ended) ? (ended as AnswerEnd) : 'complete'
  finishAnswer({ client, format: route.format, ended: end, watch, isStream, rest: bytes })
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

const kept = ['content-type', 'retry-after', 'retry-after-ms', 'x-should-retry', 'request-id']

export function recordedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)] as const]
    }),
  )
}
