/**
 * The way to a daemon: its socket, or its address. What is sent there holds a token, so an address
 * that is not of this machine must be reached by https.
 */

import { LoopError } from '../loop/index.ts'

export type Way =
  | { readonly type: 'socket'; readonly path: string }
  | { readonly type: 'address'; readonly url: URL }

/** As people write it: `127.0.0.1:7700`, `http://localhost:7700`, `https://loops.example:443`. */
export function wayTo(address: string): Way {
  const url = readUrl(address)
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new LoopError(
      'bad-request',
      `${address} is not on this machine, and http would show the token to all between. Use https://${url.host}.`,
    )
  }
  return { type: 'address', url }
}

export const describeWay = (way: Way): string => (way.type === 'socket' ? way.path : way.url.origin)

function readUrl(address: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url !== undefined && url.pathname === '/' && url.search === '' && url.hash === ''
  const isKnown = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (isPlain && isKnown && url.username === '' && url.password === '') return url
  throw new LoopError(
    'bad-request',
    `"${address}" is no address of a daemon. Write it like 127.0.0.1:7700 or https://loops.example.`,
  )
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
