/**
 * Decides who may send requests. Web pages may not, whatever they send, nor may programs without
 * the token of this session. No response carries a header that admits other origins.
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Refusal } from './wire/refusal.ts'
import { matchRoute, type Route } from './wire/route.ts'

export interface GuardInput {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Of the loopback listener; undefined if the request came through the session's socket. */
  readonly port: number | undefined
}

export type GuardResult =
  | { readonly route: Route }
  | { readonly refusal: Refusal; readonly route?: Route }

export function guardRequest(request: GuardInput, tokenDigest: Buffer): GuardResult {
  const { method, headers, port } = request
  const route = matchRoute(request.url ?? '')
  const refuse = (status: number, kind: Refusal['kind'], message: string): GuardResult => {
    const refusal = { status, kind, message }
    return route === undefined ? { refusal } : { refusal, route }
  }
  if (!isOurHost(headers.host, port)) {
    return refuse(421, 'not-allowed', 'The Host header does not name this address.')
  }
  const site = headers['sec-fetch-site']
  if (headers.origin !== undefined || (site !== undefined && site !== 'none')) {
    return refuse(403, 'not-allowed', 'Web pages may not use this address.')
  }
  if (route === undefined) {
    return refuse(404, 'not-found', 'Unknown path. See docs/gateway.md.')
  }
  if (method !== 'POST') return refuse(405, 'bad-request', 'Use POST.')
  if (!hasToken(headers, route, tokenDigest)) {
    const message =
      'The key is not the token of this session. Configure the token as the API key of the client.'
    return refuse(401, 'not-allowed', message)
  }
  if (!/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) {
    return refuse(415, 'bad-request', 'Send application/json.')
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    return refuse(415, 'bad-request', 'Send the body without a content encoding.')
  }
  return { route }
}

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/** In a sandbox the port is that of a relay. */
function isOurHost(host: string | undefined, port: number | undefined): boolean {
  const found = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::(\d{1,5}))?$/.exec(host ?? '')
  return found !== null && (port === undefined || found[1] === String(port))
}

/** Clients send it where their provider expects the key. */
function hasToken(headers: IncomingHttpHeaders, route: Route, tokenDigest: Buffer): boolean {
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const given = [headers['x-api-key'], headers['x-goog-api-key'], bearer, route.queryKey]
  // All are compared, each in constant time, so that timing reveals nothing.
  const equal = given.map(
    (one) => typeof one === 'string' && timingSafeEqual(sha256(one), tokenDigest),
  )
  return equal.includes(true)
}
