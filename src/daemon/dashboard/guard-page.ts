/**
 * Checks requests that need no token: for the files of the dashboard, which are the same for everyone and say nothing
 * about this daemon, and for the exchange of a code.
 *
 * D6. Only GET and HEAD of these files and one POST pass. Pages of other origins can link to the dashboard, but can
 *     neither frame it nor send anything.
 */

import type { IncomingMessage } from 'node:http'
import { fromElsewhere, type GuardOptions, isReadRequest, malformed, wrongBody } from '../guard.ts'
import { type Refusal, refuse } from '../refusal.ts'
import { pageRoot } from './page-files.ts'

export type PageRequest =
  | { readonly type: 'redirect' }
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'exchange' }

const exchangePath = `${pageRoot}session`
/** Of the body of an exchange. */
const bodyBytesMax = 1024

/** Undefined: the request needs a token. */
export function guardPage(
  request: IncomingMessage,
  options: Pick<GuardOptions, 'hosts' | 'origins'>,
): Refusal | PageRequest | undefined {
  const asked = findPageRequest(request)
  // The Unix socket has no origin that a browser could check.
  if (asked === undefined || options.hosts === undefined) return undefined
  const isLinked = asked.type !== 'exchange' && isNavigation(request)
  const refused = fromElsewhere(request, options, { isLinked }) ?? malformed(request)
  if (refused !== undefined) return refused
  if (asked.type !== 'exchange') return hasBody(request) ? withBody() : asked
  return wrongExchange(request) ?? asked
}

function findPageRequest(request: IncomingMessage): PageRequest | undefined {
  const [path = ''] = (request.url ?? '').split('?')
  if (path === exchangePath) return request.method === 'POST' ? { type: 'exchange' } : undefined
  if (!isReadRequest(request)) return undefined
  if (path === '/' || path === pageRoot.slice(0, -1)) return { type: 'redirect' }
  if (!path.startsWith(pageRoot)) return undefined
  // Every page of the dashboard is the same file.
  const isAsset = path.startsWith(`${pageRoot}assets/`)
  return { type: 'file', path: isAsset ? path : `${pageRoot}index.html` }
}

/** A person follows a link: the address bar changes to the dashboard. */
const isNavigation = ({ headers }: IncomingMessage): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'

function wrongExchange(request: IncomingMessage): Refusal | undefined {
  const { origin, 'content-length': length } = request.headers
  if (origin === undefined) {
    return refuse('forbidden', 'Only the page of the dashboard exchanges codes. Use loopctl.')
  }
  const wrong = wrongBody(request)
  if (wrong !== undefined) return wrong
  if (Number(length ?? 0) <= bodyBytesMax) return undefined
  return refuse('too-large', `The body is longer than ${bodyBytesMax} bytes. Send only the code.`)
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const withBody = (): Refusal => refuse('bad-request', 'A GET request must not have a body.')
