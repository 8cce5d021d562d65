/**
 * Stands in front of every route, also of those that are not there. It looks at the raw request, before
 * anything is routed or read.
 *
 * D1. Host is exactly one of ours, with the port: a name that somebody else points at this machine is
 *     none (DNS rebinding). Over the Unix socket there is no such name, and this alone is not asked.
 * D2. What a page of another origin can send is refused: by Origin, by Sec-Fetch-Site, and by asking
 *     for JSON, which no page can send elsewhere without being allowed to. Nobody is ever allowed.
 * D3. Nothing is answered without a token, not even that there is no such route.
 * D4. A token that may only look is refused for whatever may change something.
 */

import type { IncomingMessage } from 'node:http'
import type { Scope } from './parts.ts'
import { type Refusal, refuse } from './refusal.ts'
import type { Tokens } from './tokens.ts'

export interface GuardOptions {
  readonly tokens: Tokens
  /** With the port, in small letters; undefined for the Unix socket. */
  readonly hosts: ReadonlySet<string> | undefined
  readonly origins: ReadonlySet<string>
  /** From then on nothing is changed any more. */
  isEnding(): boolean
}

export type Passed = { readonly scope: Scope; readonly token: string }

const bodyBytesMax: number = 8 * 1024 * 1024

const looking: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const changing: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
/** Two of them may be understood as one or the other. */
const single: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'sec-fetch-site',
])

/** Undefined for what may pass. */
export function guard(request: IncomingMessage, options: GuardOptions): Refusal | Passed {
  return fromElsewhere(request, options) ?? malformed(request) ?? withToken(request, options)
}

/** It changes nothing. */
export const isLooking = ({ method = '' }: Pick<IncomingMessage, 'method'>): boolean =>
  looking.has(method)

export const isRefused = (answer: Refusal | Passed): answer is Refusal => 'status' in answer

function fromElsewhere(request: IncomingMessage, options: GuardOptions): Refusal | undefined {
  const { hosts, origins } = options
  const { origin } = request.headers
  const named = valuesOf(request, 'host')
  const [host] = named
  if (hosts !== undefined && (named.length !== 1 || !hosts.has((host ?? '').toLowerCase()))) {
    const ours = [...hosts].join(', ')
    return refuse('wrong-host', `The Host of the request is not this daemon. Ask one of: ${ours}.`)
  }
  if (origin !== undefined && !origins.has(origin)) {
    return refuse('forbidden', 'Pages of other origins are not served. Use loopctl or a program.')
  }
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return refuse('forbidden', 'Requests of other sites are not served. Use loopctl or a program.')
  }
  return undefined
}

function malformed(request: IncomingMessage): Refusal | undefined {
  const twice = [...single].find((name) => valuesOf(request, name).length > 1)
  if (twice !== undefined) return refuse('bad-request', `Send the header ${twice} once.`)
  if (request.url?.startsWith('/') === true || request.method === 'OPTIONS') return undefined
  return refuse('bad-request', 'Ask for a path that begins with /.')
}

function withToken(request: IncomingMessage, options: GuardOptions): Refusal | Passed {
  const passed = options.tokens.match(request.headers.authorization)
  if (passed === undefined) {
    return refuse(
      'no-token',
      'Send the header Authorization: Bearer <token>. The token is in the file daemon/token of the ' +
        'folder of the record; loopctl reads it from there, or from LOOPD_TOKEN.',
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
  if (isLooking(request)) {
    if (!hasBody(request)) return undefined
    return refuse('bad-request', `A ${method} has no body: leave it out.`)
  }
  if (scope !== 'write') {
    return refuse('forbidden', 'This token may only look. Use the token of the file daemon/token.')
  }
  if (!changing.has(method)) {
    const allow = [...looking, ...changing].join(', ')
    return refuse('wrong-method', `Use one of: ${allow}.`, { headers: { allow } })
  }
  if (options.isEnding()) {
    const detail = 'The daemon is ending and takes no more work. Start it again, then ask again.'
    return refuse('daemon-ending', detail, { headers: { 'retry-after': '5' } })
  }
  return wrongBody(request)
}

function wrongBody(request: IncomingMessage): Refusal | undefined {
  const { 'content-type': type = '', 'content-encoding': encoding } = request.headers
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type) || encoding !== undefined) {
    const detail = 'Send JSON, with the header Content-Type: application/json and no other coding.'
    return refuse('wrong-media-type', detail)
  }
  if (request.headers['transfer-encoding'] !== undefined) {
    const detail = 'Send the body in one piece, with the header Content-Length.'
    return refuse('bad-request', detail, { status: 411 })
  }
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) {
    return refuse('too-large', `The body is over ${bodyBytesMax} bytes. Send less.`)
  }
  return undefined
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** As they were sent: Node keeps one of several. */
function valuesOf(request: IncomingMessage, name: string): readonly string[] {
  const { rawHeaders } = request
  return rawHeaders.filter(
    (_, at) => at % 2 === 1 && (rawHeaders[at - 1] ?? '').toLowerCase() === name,
  )
}
