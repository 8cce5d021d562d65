/**
 * How to reach a daemon: by its socket or its address. Requests carry a token, so an address on another
 * machine must use https.
 */

import { LoopError } from '../../loop/index.ts'

export type Endpoint =
  | { readonly type: 'socket'; readonly path: string }
  | { readonly type: 'address'; readonly url: URL }

/** For example `127.0.0.1:7700`, `http://localhost:7700` or `https://loops.example:443`. */
export function parseAddress(address: string): Endpoint {
  const url = readUrl(address)
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new LoopError(
      'bad-request',
      `${address} is on another machine, and http would send the token unencrypted. Use https://${url.host}.`,
    )
  }
  return { type: 'address', url }
}

export const describeEndpoint = (endpoint: Endpoint): string =>
  endpoint.type === 'socket' ? endpoint.path : endpoint.url.origin

function readUrl(address: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url !== undefined && url.pathname === '/' && url.search === '' && url.hash === ''
  const isKnown = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (isPlain && isKnown && url.username === '' && url.password === '') return url
  throw new LoopError(
    'bad-request',
    `"${address}" is not a daemon address. Use a form like 127.0.0.1:7700 or https://loops.example.`,
  )
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
