// The table of attacks and of legitimate requests, against the guard alone; test/daemon attacks the
// process.

import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { guard, isRefused } from './guard.ts'
import type { Tokens } from './tokens.ts'

const full = 'f'.repeat(43)
const readOnly = 'r'.repeat(43)

const tokens: Tokens = {
  match(authorization) {
    if (authorization === `Bearer ${full}`) return { scope: 'write', token: full }
    return authorization === `Bearer ${readOnly}` ? { scope: 'read', token: readOnly } : undefined
  },
  derive: () => undefined,
  alive: () => new Set([full, readOnly]),
  secrets: () => [full, readOnly],
}

const hosts = new Set(['127.0.0.1:7700', 'localhost:7700', '[::1]:7700'])
const origins = new Set([...hosts].map((host) => `http://${host}`))

type Header = readonly [name: string, value: string]

const host: Header = ['Host', '127.0.0.1:7700']
const token: Header = ['Authorization', `Bearer ${full}`]
const json: Header = ['Content-Type', 'application/json']
const good = [host, token, json]

interface Asked {
  readonly url?: string
  readonly via?: 'socket'
  readonly isEnding?: boolean
}

/** The status that a request is refused with; 200 if it passes. */
function statusOf(method: string, headers: readonly Header[], asked: Asked = {}): number {
  const request = new IncomingMessage(new Socket())
  request.method = method
  request.url = asked.url ?? '/runs'
  request.rawHeaders = headers.flat()
  // Like Node: the first of several values counts.
  for (const [name, value] of headers) request.headers[name.toLowerCase()] ??= value
  const answer = guard(request, {
    tokens,
    hosts: asked.via === 'socket' ? undefined : hosts,
    origins,
    isEnding: () => asked.isEnding === true,
  })
  return isRefused(answer) ? answer.status : 200
}

describe('legitimate requests pass', () => {
  test.each<[string, string, readonly Header[]]>([
    ['a client that reads', 'GET', [host, token]],
    ['HEAD', 'HEAD', [host, token]],
    ['a client that changes something', 'POST', good],
    [
      'with the charset',
      'PATCH',
      [host, token, ['Content-Type', 'application/json; charset=UTF-8']],
    ],
    ['by the name localhost', 'GET', [['Host', 'LOCALHOST:7700'], token]],
    ['by IPv6', 'GET', [['Host', '[::1]:7700'], token]],
    [
      'our own page',
      'POST',
      [...good, ['Origin', 'http://127.0.0.1:7700'], ['Sec-Fetch-Site', 'same-origin']],
    ],
    ['a read-only token', 'GET', [host, ['Authorization', `Bearer ${readOnly}`]]],
  ])('%s', (_what, method, headers) => {
    expect(statusOf(method, headers)).toBe(200)
  })

  test('over the socket with any Host, and without one', () => {
    expect(statusOf('GET', [['Host', 'loopd'], token], { via: 'socket' })).toBe(200)
    expect(statusOf('GET', [token], { via: 'socket' })).toBe(200)
  })
})

describe('421: another Host', () => {
  test.each([
    'evil.example:7700',
    '127.0.0.1.evil.example:7700',
    'evil.example',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.0.0.1:77000',
    '127.0.0.1.:7700',
    'localhost.:7700',
    '0.0.0.0:7700',
    '[::]:7700',
    '127.1:7700',
    '2130706433:7700',
    '127.0.0.1:7700@evil.example',
    'evil.example#127.0.0.1:7700',
    ' ',
    '',
  ])('%j', (name) => {
    expect(statusOf('GET', [['Host', name], token])).toBe(421)
  })

  test('no Host, or two', () => {
    expect(statusOf('GET', [token])).toBe(421)
    expect(statusOf('GET', [host, host, token])).toBe(421)
    expect(statusOf('GET', [host, ['host', 'evil.example'], token])).toBe(421)
  })
})

describe('403: another origin or site', () => {
  test.each([
    'null',
    'http://evil.example',
    'http://127.0.0.1:7700.evil.example',
    'http://localhost:3000',
    'https://127.0.0.1:7700',
    'http://127.0.0.1:7700/',
    '',
  ])('Origin %j, also over the socket', (origin) => {
    expect(statusOf('POST', [...good, ['Origin', origin]])).toBe(403)
    expect(statusOf('GET', [token, ['Origin', origin]], { via: 'socket' })).toBe(403)
  })

  test.each(['cross-site', 'same-site', 'SAME-ORIGIN', ''])('Sec-Fetch-Site %j', (site) => {
    expect(statusOf('GET', [host, token, ['Sec-Fetch-Site', site]])).toBe(403)
  })
})

describe('401: no token, or a wrong one', () => {
  test.each([
    undefined,
    '',
    full,
    'Bearer',
    'Bearer ',
    `Bearer ${full}x`,
    `Bearer ${full.slice(1)}`,
    `Basic ${full}`,
    `Bearer ${full}, Bearer ${full}`,
  ])('%j, for any path', (authorization) => {
    const headers = [
      host,
      json,
      ...(authorization === undefined ? [] : [['Authorization', authorization] as const]),
    ]
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'TRACE', 'BREW']) {
      expect(statusOf(method, headers, { url: '/no-such-route' })).toBe(401)
    }
  })

  test('a token in the URL does not count', () => {
    expect(statusOf('GET', [host], { url: `/runs?token=${full}&access_token=${full}` })).toBe(401)
  })

  test('two tokens are refused', () => {
    expect(statusOf('GET', [host, token, ['authorization', 'Bearer x']])).toBe(400)
  })
})

describe('what a token does not permit', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])(
    '403: %s with a read-only token',
    (method) => {
      expect(statusOf(method, [host, json, ['Authorization', `Bearer ${readOnly}`]])).toBe(403)
    },
  )

  test.each(['OPTIONS', 'TRACE', 'BREW', 'CONNECT'])('405: %s', (method) => {
    expect(statusOf(method, good)).toBe(405)
  })

  test('503: changes while it shuts down; reads continue', () => {
    expect(statusOf('POST', good, { isEnding: true })).toBe(503)
    expect(statusOf('GET', [host, token], { isEnding: true })).toBe(200)
  })
})

describe('bodies', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
    'application/jsonp',
    'application/json, text/plain',
    'application/json; charset=utf-7',
    '',
  ])('415: %j', (type) => {
    expect(statusOf('POST', [host, token, ['Content-Type', type]])).toBe(415)
  })

  test('415: no content type, with and without a body', () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(statusOf(method, [host, token])).toBe(415)
      expect(statusOf(method, [host, token, ['Content-Length', '2']])).toBe(415)
    }
  })

  test('415: compressed bodies', () => {
    expect(statusOf('POST', [...good, ['Content-Encoding', 'gzip']])).toBe(415)
  })

  test('413 and 411: too long, or of unknown length', () => {
    expect(statusOf('POST', [...good, ['Content-Length', '8388609']])).toBe(413)
    expect(statusOf('POST', [...good, ['Content-Length', '8388608']])).toBe(200)
    expect(statusOf('POST', [...good, ['Transfer-Encoding', 'chunked']])).toBe(411)
  })

  test('400: the body of a GET; an absolute URL; two lengths', () => {
    expect(statusOf('GET', [host, token, ['Content-Length', '2']])).toBe(400)
    expect(statusOf('GET', [host, token], { url: 'http://evil.example/runs' })).toBe(400)
    expect(statusOf('POST', [...good, ['Content-Length', '2'], ['Content-Length', '3']])).toBe(400)
  })
})

describe('a signed request', () => {
  const signed: readonly Header[] = [
    ['webhook-id', 'msg-1'],
    ['webhook-timestamp', '1767254400'],
    ['webhook-signature', 'v1,abc'],
  ]
  const hook = { url: '/hooks/nightly' }

  test('needs no token for the path of a schedule', () => {
    expect(statusOf('POST', [host, json, ...signed], hook)).toBe(200)
  })

  test.each<[string, string, readonly Header[], Asked?]>([
    ['another path', 'POST', [host, json, ...signed], { url: '/runs' }],
    ['a path below', 'POST', [host, json, ...signed], { url: '/hooks/nightly/run' }],
    ['a path that leads elsewhere', 'POST', [host, json, ...signed], { url: '/hooks/../runs' }],
    ['a query', 'POST', [host, json, ...signed], { url: '/hooks/nightly?x=1' }],
    ['capital letters', 'POST', [host, json, ...signed], { url: '/HOOKS/nightly' }],
    ['GET', 'GET', [host, ...signed]],
    ['DELETE', 'DELETE', [host, json, ...signed]],
    ['no signature', 'POST', [host, json, ...signed.slice(0, 2)]],
    ['two signatures', 'POST', [host, json, ...signed, ['webhook-signature', 'v1,def']]],
    ['a wrong token', 'POST', [host, json, ...signed, ['Authorization', 'Bearer x']]],
    ['a large body', 'POST', [host, json, ...signed, ['Content-Length', '65537']]],
  ])('with %s is one without a token', (_what, method, headers, asked = hook) => {
    expect(statusOf(method, headers, asked)).toBe(401)
  })

  test('is refused like any other for its host, origin and form', () => {
    expect(statusOf('POST', [['Host', 'evil.example'], json, ...signed], hook)).toBe(421)
    const page: Header = ['Origin', 'https://evil.example']
    expect(statusOf('POST', [host, json, page, ...signed], hook)).toBe(403)
    expect(statusOf('POST', [host, ...signed], hook)).toBe(415)
    expect(statusOf('POST', [host, json, ...signed], { ...hook, isEnding: true })).toBe(503)
  })
})
