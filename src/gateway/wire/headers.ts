/**
 * Headers of requests and responses in transit. All pass except those that belong to a single
 * connection, those that identify the client, and those that the gateway sets itself.
 */

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { ClientMask } from '../secrets/secrets.ts'
import type { WireFormat } from './route.ts'

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
  // The gateway must be able to read the response to meter it.
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
  // The body has already been decoded.
  'content-encoding',
])

/** All headers except those for a single connection. */
function endToEnd(headers: IncomingHttpHeaders): [string, string | string[] | undefined][] {
  const named = namedByConnection(headers)
  return Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.has(name))
}

export function toProviderHeaders(
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

export function toClientHeaders(
  headers: IncomingHttpHeaders,
  { maskText, isInName }: ClientMask,
): OutgoingHttpHeaders {
  const passed = endToEnd(headers).filter(
    ([name]) =>
      !notReturned.has(name) &&
      // A secret in a name cannot be masked, so the header is dropped.
      !isInName(name) &&
      !name.startsWith('access-control-'),
  )
  return Object.fromEntries(passed.map(([name, value]) => [name, maskText(String(value))]))
}

function namedByConnection(headers: IncomingHttpHeaders): ReadonlySet<string> {
  return new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
}
