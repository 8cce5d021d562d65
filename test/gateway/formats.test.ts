// What passes through the gateway unchanged, what does not, and what it costs.

import { request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { startModelServer } from '../../src/testing/index.ts'
import { anthropicKey, ask, formats, googleKey, openaiKey, openSetting } from './gateway-fixture.ts'

const said = { text: 'Grüße 👋', usage: { input: 1200, output: 34, cacheRead: 200 } }
const ways = formats.flatMap((format) => [[format, true] as const, [format, false] as const])

test.each(ways)(
  'a response in the format %s, streamed: %s, arrives byte for byte',
  async (format, stream) => {
    await using direct = await startModelServer([said])
    await using setting = await openSetting([said])
    const origin = direct.url.replace(/\/v1$/, '')
    const straight = await ask(
      {
        post: (path, body) =>
          fetch(`${origin}${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }),
      },
      format,
      stream,
    )
    const answer = await ask(setting, format, stream)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(straight.headers.get('content-type'))
    expect(await answer.text()).toBe(await straight.text())
    expect(setting.server.requests[0]?.body).toEqual(direct.requests[0]?.body)
    const totals = await setting.session.close()
    expect(totals.usage).toMatchObject({ input: 1200, output: 34, cacheRead: 200 })
    expect(totals).toMatchObject({ exchanges: 1, requests: 1, isEstimated: false })
    expect(setting.ledger.spent).toEqual(totals.spent)
    expect(setting.ledger.spent.tokens).toBe(1234)
    expect(setting.ledger.spent.costMicros).toBeGreaterThan(0)
    expect(setting.ledger.open).toBe(0)
    expect(setting.exchanges).toHaveLength(1)
  },
)

test('the provider key is added, and the client token is not forwarded', async () => {
  await using setting = await openSetting([said])
  for (const format of formats) await (await ask(setting, format, false)).text()
  const headers = setting.server.requests.map((request) => request.headers)
  expect(headers[0]?.['x-api-key']).toBe(anthropicKey)
  expect(headers[1]?.['authorization']).toBe(`Bearer ${openaiKey}`)
  expect(headers[2]?.['authorization']).toBe(`Bearer ${openaiKey}`)
  expect(headers[3]?.['x-goog-api-key']).toBe(googleKey)
  expect(JSON.stringify(headers)).not.toContain(setting.session.token)
})

test('unknown fields, their order and odd formatting are forwarded unchanged, except the limit', async () => {
  await using setting = await openSetting([said])
  let received = ''
  const { createServer } = await import('node:http')
  const echo = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (received += chunk.toString()))
    request.on('end', () => response.writeHead(400).end('{}'))
  })
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
  const { port } = echo.address() as { port: number }
  const { openGateway } = await import('../../src/gateway/index.ts')
  const gateway = await openGateway({
    keys: () => undefined,
    providers: { anthropic: { baseUrl: `http://127.0.0.1:${port}`, outputTokensMax: 500 } },
  })
  const session = await gateway.session({
    step: 's',
    reserve: setting.ledger.reserve,
    signal: new AbortController().signal,
  })
  const body =
    '{ "zeta" : 1.0e2,"max_tokens"  :9000 ,"model":"m\\u0031", "messages":[{"a":"\\u00e9é"}] }'
  const answer = await fetch(`${session.url}/v1/messages?beta=true&key=${session.token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(answer.status).toBe(400)
  expect(received).toBe(body.replace('9000', '500'))
  await gateway.close()
  echo.close()
})

test.each([
  ['no token', { 'x-api-key': '' }, 401],
  ['another token', { 'x-api-key': 'x'.repeat(43) }, 401],
  ['a web page', { origin: 'https://evil.example' }, 403],
  ['a web page of the same site', { origin: 'null' }, 403],
  ['a form', { 'content-type': 'text/plain' }, 415],
])('%s is refused and nothing is forwarded', async (_name, headers, status) => {
  await using setting = await openSetting([said])
  const answer = await ask(setting, 'anthropic', false, { headers })
  expect(answer.status).toBe(status)
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  expect(setting.server.requests).toHaveLength(0)
})

test.each(['evil.example', '127.0.0.1', '127.0.0.1:1', '127.0.0.1.evil.example:80', '0.0.0.0', ''])(
  'the host "%s" is refused',
  async (host) => {
    await using setting = await openSetting([said])
    const { port } = new URL(setting.session.url)
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const path = '/v1/messages'
      const headers = {
        host,
        'x-api-key': setting.session.token,
        'content-type': 'application/json',
      }
      httpRequest({ port, host: '127.0.0.1', path, method: 'POST', headers }, (response) =>
        resolve(response.resume().statusCode),
      )
        .on('error', reject)
        .end('{}')
    })
    expect([400, 421]).toContain(status)
    expect(setting.server.requests).toHaveLength(0)
  },
)

test.each([
  ['GET', '/v1/messages', 405],
  ['OPTIONS', '/v1/messages', 405],
  ['GET', '/', 404],
  ['POST', '/v1/files', 404],
  ['POST', '/v1/messages/../files', 404],
  ['POST', '/v1/models/x%2f..:generateContent', 404],
])('%s %s is not supported', async (method, path, status) => {
  await using setting = await openSetting([said])
  const body = method === 'POST' ? { body: '{}' } : {}
  const headers = { 'x-api-key': setting.session.token, 'content-type': 'application/json' }
  const answer = await fetch(`${setting.session.url}${path}`, { method, headers, ...body })
  expect(answer.status).toBe(status)
  expect(setting.server.requests).toHaveLength(0)
})

test('the socket serves the same session', async () => {
  await using setting = await openSetting([said])
  const { socketPath, token } = setting.session
  expect(Buffer.byteLength(socketPath)).toBeLessThan(108)
  const text = await new Promise<string>((resolve, reject) => {
    const headers = { 'x-api-key': token, 'content-type': 'application/json' }
    const path = '/v1/messages'
    const request = httpRequest({ socketPath, path, method: 'POST', headers }, async (response) => {
      let all = ''
      for await (const chunk of response) all += String(chunk)
      resolve(all)
    })
    request.on('error', reject).end('{"model":"claude-sonnet-5","max_tokens":10,"messages":[]}')
  })
  expect(text).toContain('Grüße 👋')
})

test('a closed session no longer listens', async () => {
  await using setting = await openSetting([said])
  await setting.session.close()
  await expect(ask(setting, 'chat', false)).rejects.toThrow('fetch failed')
})
