/**
 * Checks every request before routing, including those for unknown routes. It reads the raw request, before
 * any of its body.
 *
 * D1. Host must be exactly one of the daemon's names with the port, which defeats DNS rebinding. The check
 *     is skipped only on the Unix socket, which has no host name.
 * D2. Requests from pages of another origin are refused: by Origin, by Sec-Fetch-Site, and by requiring
 *     JSON, which needs a CORS permission that the daemon never grants.
 * D3. Nothing is answered without a token, not even 404. The only exception is a small POST request to `/hooks/<name>` with the
 *     headers of a signature: it may do nothing else, and gets the same answer as one without a token unless its
 *     signature is valid. The page of the dashboard is recognized before: see `dashboard/guard-page.ts`.
 * D4. A read-only token is refused for every operation that may change something.
 */

import type { IncomingMessage } from 'node:http'
import type { RequestScope } from './parts.ts'
import { hookPath } from './principal.ts'
import { type Refusal, refuse } from './refusal.ts'
import type { Tokens } from './tokens.ts'

export interface GuardOptions {
  readonly tokens: Tokens
  /** With the port, in lower case; undefined for the Unix socket. */
  readonly hosts: ReadonlySet<string> | undefined
  readonly origins: ReadonlySet<string>
  /** Shutting down: requests that change something are refused. */
  isEnding(): boolean
}

export type Passed = {
  readonly scope: RequestScope
  /** Identifies the token. */
  readonly token: string
  /** The person that it belongs to. */
  readonly name?: string
}

const bodyBytesMax: number = 8 * 1024 * 1024

const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const changing: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
/** Headers that must be unique: if repeated, different parsers pick different ones. */
const single: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'sec-fetch-site',
])

/** Returns why the request is refused, or the access that its token gives. */
export function guard(request: IncomingMessage, options: GuardOptions): Refusal | Passed {
  return fromElsewhere(request, options) ?? malformed(request) ?? withToken(request, options)
}

/** A request that changes nothing. */
export const isReadRequest = ({ method = '' }: Pick<IncomingMessage, 'method'>): boolean =>
  readMethods.has(method)

export const isRefused = (answer: Refusal | Passed): answer is Refusal => 'status' in answer

/** `isLinked`: a person follows a link, which may be on any page. */
export function fromElsewhere(
  request: IncomingMessage,
  options: Pick<GuardOptions, 'hosts' | 'origins'>,
  { isLinked = false }: { readonly isLinked?: boolean } = {},
): Refusal | undefined {
  const { hosts, origins } = options
  const { origin } = request.headers
  const named = valuesOf(request, 'host')
  const [host] = named
  if (hosts !== undefined && (named.length !== 1 || !hosts.has((host ?? '').toLowerCase()))) {
    const ours = [...hosts].join(', ')
    return refuse('wrong-host', `The header Host does not name this daemon. Use one of: ${ours}.`)
  }
  if (origin !== undefined && !origins.has(origin)) {
    return refuse(
      'forbidden',
      'Requests from pages of other origins are refused. Use loopctl or another program.',
    )
  }
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isLinked) {
    return refuse(
      'forbidden',
      'Requests from other sites are refused. Use loopctl or another program.',
    )
  }
  return undefined
}

export function malformed(request: IncomingMessage): Refusal | undefined {
  const twice = [...single].find((name) => valuesOf(request, name).length > 1)
  if (twice !== undefined) return refuse('bad-request', `Send the header ${twice} once.`)
  if (request.url?.startsWith('/') === true || request.method === 'OPTIONS') return undefined
  return refuse('bad-request', 'The path must begin with /.')
}

/** Stands for the token of a signed request. */
export const hookToken = 'hook'

const hookBytesMax = 64 * 1024
const hookHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

/** Its signature can be checked only with its body. */
function isHook(request: IncomingMessage): boolean {
  const { method, url = '', headers } = request
  return (
    method === 'POST' &&
    hookPath.test(url) &&
    headers.authorization === undefined &&
    hookHeaders.every((name) => valuesOf(request, name).length === 1) &&
    Number(headers['content-length'] ?? 0) <= hookBytesMax
  )
}

function withToken(request: IncomingMessage, options: GuardOptions): Refusal | Passed {
  const passed = isHook(request)
    ? { scope: 'hook' as const, token: hookToken }
    : options.tokens.match(request.headers.authorization)
  if (passed === undefined) {
    return refuse(
      'no-token',
      'Send the header Authorization: Bearer <token>. The token is in the file daemon/token of the ' +
        'state folder; loopctl reads it from there, or from LOOPD_TOKEN.',
      { headers: { 'www-authenticate': 'Bearer realm="loopd"' } },
    )
  }
  return wrongUse(request, passed, options) ?? passed
}

function wrongUse(
  request: IncomingMessage,
  { scope }: Passed,
  options: GuardOptions,
): Refusal | undefined {
  const { method = '' } = request
  if (isReadRequest(request)) {
    if (!hasBody(request)) return undefined
    return refuse('bad-request', `A ${method} request must not have a body.`)
  }
  if (scope === 'read') {
    return refuse(
      'forbidden',
      'This token is read-only. Use one that may decide: loopctl daemon token add <name>',
    )
  }
  if (!changing.has(method)) {
    const allow = [...readMethods, ...changing].join(', ')
    return refuse('wrong-method', `Use one of: ${allow}.`, { headers: { allow } })
  }
  if (options.isEnding()) {
    const detail =
      'The daemon is shutting down and accepts no more work. Start it again, then retry.'
    return refuse('daemon-ending', detail, { headers: { 'retry-after': '5' } })
  }
  return wrongBody(request)
}

export function wrongBody(request: IncomingMessage): Refusal | undefined {
  const { 'content-type': type = '', 'content-encoding': encoding } = request.headers
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type) || encoding !== undefined) {
    const detail =
      'Send JSON, with the header Content-Type: application/json and no Content-Encoding.'
    return refuse('wrong-media-type', detail)
  }
  if (request.headers['transfer-encoding'] !== undefined) {
    const detail = 'Send the body with the header Content-Length, not chunked.'
    return refuse('bad-request', detail, { status: 411 })
  }
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) {
    return refuse('too-large', `The body is longer than ${bodyBytesMax} bytes. Send less.`)
  }
  return undefined
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** All values as sent, since Node keeps only one of several. */
function valuesOf(request: IncomingMessage, name: string): readonly string[] {
  const { rawHeaders } = request
  return rawHeaders.filter(
    (_, at) => at % 2 === 1 && (rawHeaders[at - 1] ?? '').toLowerCase() === name,
  )
}
