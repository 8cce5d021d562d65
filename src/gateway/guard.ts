/**
 * Who may ask at all. A web page in a browser may not, whatever it sends; nor may a program without the
 * token of this session. Nothing here answers with a header that lets other origins in.
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Refusal } from './refusal.ts'
import { type Route, routeOf } from './route.ts'

export interface GuardedRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Of the loopback listener; nothing where it came through the socket of the session. */
  readonly port: number | undefined
}

export type Guarded =
  | { readonly route: Route }
  | { readonly refusal: Refusal; readonly route?: Route }

export function guardRequest(request: GuardedRequest, tokenDigest: Buffer): Guarded {
  const { method, headers, port } = request
  const route = routeOf(request.url ?? '')
  const refuse = (status: number, kind: Refusal['kind'], message: string): Guarded => {
    const refusal = { status, kind, message }
    return route === undefined ? { refusal } : { refusal, route }
  }
  if (!isOurHost(headers.host, port)) {
    return refuse(421, 'not-allowed', 'This is not the host that was asked for.')
  }
  const site = headers['sec-fetch-site']
  if (headers.origin !== undefined || (site !== undefined && site !== 'none')) {
    return refuse(403, 'not-allowed', 'Web pages may not use this address.')
  }
  if (route === undefined) {
    return refuse(404, 'not-found', 'There is no such address here. See docs/gateway.md.')
  }
  if (method !== 'POST') return refuse(405, 'bad-request', 'Use POST.')
  if (!hasToken(headers, route, tokenDigest)) {
    const message =
      'The key is not the token of this session. Give the client the token as its key.'
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

export const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** In a sandbox the port is that of a relay. */
function isOurHost(host: string | undefined, port: number | undefined): boolean {
  const found = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::(\d{1,5}))?$/.exec(host ?? '')
  return found !== null && (port === undefined || found[1] === String(port))
}

/** Clients put it where their provider wants its key. */
function hasToken(headers: IncomingHttpHeaders, route: Route, tokenDigest: Buffer): boolean {
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const given = [headers['x-api-key'], headers['x-goog-api-key'], bearer, route.queryKey]
  // All are compared, and in the same time, so that nothing can be learnt from it.
  const equal = given.map(
    (one) => typeof one === 'string' && timingSafeEqual(digestOf(one), tokenDigest),
  )
  return equal.includes(true)
}
