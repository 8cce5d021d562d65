/**
 * Headers on their way through. Everything passes but what belongs to one connection only, what proves
 * who the client is, and what the gateway must decide itself.
 */

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { WireFormat } from './route.ts'
import type { ClientMask } from './secrets.ts'

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])

const notForwarded = new Set([
  'host',
  'content-length',
  // An answer must be readable for the account.
  'accept-encoding',
  'expect',
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
  'forwarded',
  'via',
  'referer',
])

const notReturned = new Set([
  'set-cookie',
  'alt-svc',
  'strict-transport-security',
  // It has been decoded.
  'content-encoding',
])

/** All but what is said between two neighbours only. */
function endToEnd(headers: IncomingHttpHeaders): [string, string | string[] | undefined][] {
  const named = namedByConnection(headers)
  return Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.has(name))
}

export function toProvider(
  headers: IncomingHttpHeaders,
  format: WireFormat,
  key: string | undefined,
  bodyBytes: number,
): OutgoingHttpHeaders {
  const passed = endToEnd(headers).filter(
    ([name]) =>
      !notForwarded.has(name) && !name.startsWith('x-forwarded-') && !name.startsWith('sec-'),
  )
  return {
    ...Object.fromEntries(passed),
    'accept-encoding': 'identity',
    'content-length': bodyBytes,
    ...(key === undefined ? {} : keyHeader(format, key)),
  }
}

function keyHeader(format: WireFormat, key: string): OutgoingHttpHeaders {
  switch (format) {
    case 'anthropic':
      return { 'x-api-key': key }
    case 'gemini':
      return { 'x-goog-api-key': key }
    case 'chat':
    case 'responses':
      return { authorization: `Bearer ${key}` }
  }
}

export function toClient(
  headers: IncomingHttpHeaders,
  { maskText, isInName }: ClientMask,
): OutgoingHttpHeaders {
  const passed = endToEnd(headers).filter(
    ([name]) =>
      !notReturned.has(name) &&
      // There is no other name that it could get.
      !isInName(name) &&
      !name.startsWith('access-control-'),
  )
  return Object.fromEntries(passed.map(([name, value]) => [name, maskText(String(value))]))
}

function namedByConnection(headers: IncomingHttpHeaders): ReadonlySet<string> {
  return new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
}
