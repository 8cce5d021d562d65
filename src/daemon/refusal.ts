/** Requests refused by the guard, as problem+json: `code` for programs, `detail` with what to do next. */

import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import { defined, type ErrorCode, errorTable } from '../loop/index.ts'

export interface Refusal {
  readonly status: number
  readonly code: ErrorCode
  readonly detail: string
  readonly headers?: Readonly<Record<string, string>>
}

export function refuse(
  code: ErrorCode,
  detail: string,
  more: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Refusal {
  const { status = errorTable[code].httpStatus, headers } = more
  return { status, code, detail, ...defined({ headers }) }
}

/** On every response: not cached, and never rendered as a page. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

/** The caller's id, if it is safe to log. */
export const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID()

function problemBody({ status, code, detail }: Refusal, requestId: string): string {
  const instance = `urn:loopwright:request:${requestId}`
  const title = STATUS_CODES[status] ?? 'Error'
  return JSON.stringify({ type: 'about:blank', title, status, detail, code, instance })
}

export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  const body = problemBody(refusal, String(response.getHeader('x-request-id')))
  response.writeHead(refusal.status, headersOf(refusal, body))
  response.end(body)
}

/** For a connection without a response object: an upgrade, or something that is not HTTP. */
export function rawRefusal(refusal: Refusal): string {
  const requestId = randomUUID()
  const body = problemBody(refusal, requestId)
  const head = Object.entries({ ...securityHeaders, ...headersOf(refusal, body) })
  const lines = [
    ...head,
    ['x-request-id', requestId] as const,
    ['connection', 'close'] as const,
  ].map(([name, value]) => `${name}: ${value}`)
  const status = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`
  return `${[status, ...lines].join('\r\n')}\r\n\r\n${body}`
}

const headersOf = (refusal: Refusal, body: string): Readonly<Record<string, string>> => ({
  'content-type': 'application/problem+json',
  'content-length': String(Buffer.byteLength(body)),
  ...refusal.headers,
})
