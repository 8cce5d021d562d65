// HTTP servers that misbehave, and what is never sent to them.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connect, until } from './fixture.ts'

interface Asked {
  readonly method: string
  readonly rpc: string
  readonly headers: IncomingMessage['headers']
}

type Reply = (response: ServerResponse, id: unknown, asked: readonly Asked[]) => void

interface Server {
  readonly url: string
  readonly asked: readonly Asked[]
}

const json = (response: ServerResponse, body: object, headers = {}): void => {
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ jsonrpc: '2.0', ...body }))
}
const stream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}
const said = (value: string): object => ({ content: [{ type: 'text', text: value }] })

const replies: Readonly<Record<string, Reply>> = {
  initialize: (response, id) => {
    const protocolVersion = '2025-06-18'
    const serverInfo = { name: 'bad', version: '1' }
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo }
    json(response, { id, result }, { 'mcp-session-id': 'one' })
  },
  'tools/list': (response, id) => {
    const tools = [{ name: 'act', inputSchema: { type: 'object' } }]
    json(response, { id, result: { tools } })
  },
  'tools/call': (response, id) => json(response, { id, result: said('fine') }),
}

/** Answers correctly, except for the special methods. */
async function serve(special: Readonly<Record<string, Reply>> = {}): Promise<Server> {
  const asked: Asked[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const { id, method: rpc = '' } = (body === '' ? {} : JSON.parse(body)) as {
      id?: unknown
      method?: string
    }
    const { headers, method = '' } = request
    asked.push({ method, rpc, headers })
    const reply = special[rpc] ?? special[method] ?? replies[rpc]
    if (reply === undefined) response.writeHead(202).end()
    else reply(response, id, asked)
  }
  const server = createServer((request, response) => {
    response.on('error', () => {})
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, asked }
}

const calling = (reply: Reply): Promise<Server> => serve({ 'tools/call': reply })
const count = ({ asked }: Server, what: Partial<Asked>): number =>
  asked.filter((one) => Object.entries(what).every(([key, value]) => one[key as 'rpc'] === value))
    .length

describe('a call over HTTP', () => {
  test('works, without the stream for unsolicited messages', async () => {
    const server = await serve()
    const { call, close } = await connect({ web: { url: server.url } })
    expect(await call('web__act')).toEqual({ ok: true, output: 'fine' })
    await close()
    expect(count(server, { method: 'GET' })).toBe(0)
    expect(count(server, { method: 'DELETE' })).toBe(1)
  })

  test('can be answered by a stream that stays open', async () => {
    const server = await calling((response, id) => {
      stream(response)
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: said('hi') })}\n\n`)
    })
    const { call } = await connect({ web: { url: server.url } })
    expect(await call('web__act')).toEqual({ ok: true, output: 'hi' })
    expect(await call('web__act')).toEqual({ ok: true, output: 'hi' })
  })

  test('is not drowned by the marks of pages', async () => {
    const server = await serve({
      'tools/list': (response, id, { length }) => {
        json(response, { id, result: { tools: [], nextCursor: `${length}${'c'.repeat(1e6)}` } })
      },
    })
    const { problems } = await connect({ web: { url: server.url } })
    expect(problems[0]?.message).toContain('answer is invalid')
    expect(count(server, { rpc: 'tools/list' })).toBe(1)
  })

  test('is not drowned by requests of the server: few are answered at a time', async () => {
    const server = await serve({
      // Our answers have no method; they get no response.
      '': (response, _id, asked) => {
        if (asked.at(-1)?.method !== 'POST') response.end()
      },
      'tools/call': (response, id) => {
        stream(response)
        for (let ping = 0; ping < 500; ping++) {
          response.write(`data: {"jsonrpc":"2.0","id":${ping},"method":"ping"}\n\n`)
        }
        const answer = JSON.stringify({ jsonrpc: '2.0', id, result: said('fine') })
        response.end(`data: ${answer}\n\n`)
      },
    })
    const { call } = await connect({ web: { url: server.url } })
    expect(await call('web__act')).toEqual({ ok: true, output: 'fine' })
    await until(() => count(server, { method: 'POST', rpc: '' }) > 0)
    // Time for the others to come, if there are any.
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(count(server, { method: 'POST', rpc: '' })).toBeLessThan(10)
  })

  test.each<[string, Reply, string, RegExp]>([
    [
      'a stream that ends',
      (response) => void (stream(response), response.end()),
      'server-gone',
      /ended without an answer/,
    ],
    [
      'a connection that breaks',
      (response) => response.destroy(),
      'server-gone',
      /cannot be reached/,
    ],
    [
      'a stream that breaks',
      (response) => {
        stream(response)
        response.write(': hello\n\n', () => response.destroy())
      },
      'server-gone',
      /ended without an answer/,
    ],
    [
      'a page',
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'bad-answer',
      /text\/html/,
    ],
    [
      'half of an answer',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"a'),
      'bad-answer',
      /JSON/,
    ],
    ['an invalid answer', (response, id) => json(response, { id, result: 3 }), 'bad-answer', /./],
    [
      'an error',
      (response) => void response.writeHead(500).end('out of memory'),
      'bad-answer',
      /HTTP 500: .*out of memory/,
    ],
    [
      'a refusal',
      (response) => void response.writeHead(401).end(),
      'not-authorised',
      /HTTP 401.*headers/,
    ],
    ['a lost session', (response) => void response.writeHead(404).end(), 'server-gone', /HTTP 404/],
    [
      'a flood of JSON',
      (response) => flood(response, 'application/json'),
      'bad-answer',
      /response of over \d+ bytes/,
    ],
    [
      'a flood of events',
      (response) => flood(response, 'text/event-stream'),
      'bad-answer',
      /response of over \d+ bytes/,
    ],
    ['nothing', () => {}, 'timeout', /in time/],
    [
      'the answer to another request',
      (response) => json(response, { id: 99, result: said('x') }),
      'timeout',
      /in time/,
    ],
  ])('that is answered by %s fails', async (_, reply, error, message) => {
    const server = await calling(reply)
    const { call } = await connect({ web: { url: server.url } }, { timeoutMs: 2000 })
    const output = expect.stringMatching(message)
    expect(await call('web__act')).toEqual({ ok: false, error, output })
  })

  test('opens a new session after the old one is lost', async () => {
    let lost = true
    const server = await calling((response, id) => {
      if (lost) response.writeHead(404).end()
      else json(response, { id, result: said('back') })
    })
    const { call } = await connect({ web: { url: server.url } })
    expect(await call('web__act')).toMatchObject({ error: 'server-gone' })
    lost = false
    expect(await call('web__act')).toEqual({ ok: true, output: 'back' })
    expect(count(server, { rpc: 'initialize' })).toBe(2)
  })

  test('that is aborted is cancelled at the server', async () => {
    const server = await calling(stream)
    const { call } = await connect({ web: { url: server.url } })
    const stop = new AbortController()
    const hanging = call('web__act', {}, stop.signal)
    await until(() => count(server, { rpc: 'tools/call' }) > 0)
    stop.abort(new Error('enough'))
    await expect(hanging).rejects.toThrow('enough')
    await until(() => count(server, { rpc: 'notifications/cancelled' }) > 0)
    expect(count(server, { rpc: 'notifications/cancelled' })).toBe(1)
  })

  test('is not resumed forever', async () => {
    const endless = (response: ServerResponse): void => {
      stream(response)
      response.end('retry: 0\nid: 1\ndata:\n\n')
    }
    const server = await serve({ 'tools/call': endless, GET: endless })
    const { call } = await connect({ web: { url: server.url } })
    expect(await call('web__act')).toMatchObject({ ok: false, error: 'server-gone' })
    expect(count(server, { method: 'GET' })).toBe(10)
  })
})

describe('connecting over HTTP', () => {
  test.each<[string, Reply, RegExp]>([
    [
      'refuses',
      (response) => void response.writeHead(403).end(),
      /HTTP 403. Configure a valid token/,
    ],
    [
      'is not an MCP server',
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(),
      /text\/html/,
    ],
    [
      'has another address',
      (response) => void response.writeHead(404).end(),
      /HTTP 404. Check the address/,
    ],
    ['hangs', () => {}, /did not answer in time/],
    ['floods', (response) => flood(response, 'application/json'), /response of over/],
  ])('to a server that %s is a problem', async (_, reply, message) => {
    const server = await serve({ initialize: reply })
    const { problems } = await connect({ web: { url: server.url } }, { connectTimeoutMs: 2000 })
    expect(problems).toEqual([{ server: 'web', message: expect.stringMatching(message) }])
  })

  test('finds a server that supports only protocol 2026-07-28', async () => {
    const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    const server = await serve({
      initialize: (response) => void response.writeHead(400).end('no such method'),
      'server/discover': (response, id) => {
        const result = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
        json(response, { id, result: { ...result, ...complete } })
      },
      'tools/list': (response, id) => {
        const tools = [{ name: 'act', inputSchema: { type: 'object' } }]
        json(response, { id, result: { tools, ...complete } })
      },
      'tools/call': (response, id) =>
        json(response, { id, result: { ...said('new'), ...complete } }),
    })
    const { call, problems } = await connect({ web: { url: server.url } })
    expect(problems).toEqual([])
    expect(await call('web__act')).toEqual({ ok: true, output: 'new' })
  })

  test('sends headers to the server, and no problem shows them', async () => {
    const server = await serve({ 'tools/list': (response) => void response.writeHead(500).end() })
    const url = `${server.url}?key=secret`
    const headers = { authorization: 'Bearer secret' }
    const { problems } = await connect({ web: { url, headers } })
    expect(server.asked.map((one) => one.headers.authorization)).toContain('Bearer secret')
    expect(JSON.stringify(problems)).not.toContain('secret')
  })

  test.each([301, 302, 303, 307, 308])('does not follow %i to another host', async (status) => {
    const other = await serve()
    const server = await serve({
      initialize: (response) => void response.writeHead(status, { location: other.url }).end(),
    })
    const headers = { authorization: 'Bearer secret' }
    const { problems } = await connect({ web: { url: server.url, headers } })
    expect(problems).toMatchObject([{ message: expect.stringMatching(`HTTP ${status}`) }])
    expect(other.asked).toEqual([])
  })
})

function flood(response: ServerResponse, type: string): void {
  response.writeHead(200, { 'content-type': type })
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const more = (): void => {
    if (response.destroyed) return
    while (response.write(chunk));
    response.once('drain', more)
  }
  more()
}
