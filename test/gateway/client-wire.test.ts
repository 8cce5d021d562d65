// HTTP as clients use it: nothing ambiguous is forwarded, no slow client holds a session open, and
// a client that disconnects pays for the call in progress.

import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { ask, openSetting, questions, type Setting } from './gateway-fixture.ts'

const body = JSON.stringify(questions.anthropic.body(false))

/** Sends bytes, and returns what arrives until the connection closes. */
function send({ session }: Setting, bytes: string): Promise<string> {
  const { port } = new URL(session.url)
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    socket.on('error', () => undefined).on('close', () => resolve(text))
    socket.write(bytes)
  })
}

function head({ session }: Setting, line: string, ...more: readonly string[]): string {
  const { host } = new URL(session.url)
  const lines = [
    line,
    `Host: ${host}`,
    'Content-Type: application/json',
    `x-api-key: ${session.token}`,
    'Connection: close',
    ...more,
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

const post = 'POST /v1/messages HTTP/1.1'
const size = `Content-Length: ${body.length}`
const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
const hidden = 'POST /v1/responses HTTP/1.1\r\nHost: x\r\n\r\n'

test.each([
  ['two lengths', [size, 'Content-Length: 5'], body],
  ['two lengths in one', [`Content-Length: ${body.length}, 5`], body],
  ['a length and chunks', [size, 'Transfer-Encoding: chunked'], chunked],
  ['chunks and a length', ['Transfer-Encoding: chunked', size], chunked],
  ['another transfer encoding', ['Transfer-Encoding: xchunked'], chunked],
  ['two transfer encodings', ['Transfer-Encoding: chunked, identity'], chunked],
  ['an invalid length', ['Content-Length: 0x20'], body],
  ['a space before the colon', [`Content-Length : ${body.length}`], body],
  ['a folded header', [size, 'X-A: b\r\n c: d'], body],
  ['a name with a line break', [size, 'X-A\rB: c'], body],
])('%s is refused, and nothing of it is forwarded', async (_name, lines, content) => {
  await using setting = await openSetting([{ text: 'ok' }])
  const text = await send(setting, `${head(setting, post, ...lines)}${content}${hidden}`)
  expect(text).toMatch(/^HTTP\/1\.1 400 /)
  expect(text).not.toContain('HTTP/1.1 200')
  expect(setting.server.requests).toHaveLength(0)
  expect(setting.ledger).toMatchObject({ open: 0, spent: { tokens: 0 } })
})

test.each([
  ['an absolute URL', 'POST http://example.com/v1/messages HTTP/1.1', /^HTTP\/1\.1 404 /],
  ['HEAD', 'HEAD /v1/messages HTTP/1.1', /^HTTP\/1\.1 405 /],
  ['OPTIONS', 'OPTIONS /v1/messages HTTP/1.1', /^HTTP\/1\.1 405 /],
  ['OPTIONS for everything', 'OPTIONS * HTTP/1.1', /^HTTP\/1\.1 404 /],
  ['PUT', 'PUT /v1/messages HTTP/1.1', /^HTTP\/1\.1 405 /],
  ['a tunnel', 'CONNECT example.com:443 HTTP/1.1', /^$/],
])('%s is not supported', async (_name, line, answer) => {
  await using setting = await openSetting([{ text: 'ok' }])
  expect(await send(setting, head(setting, line, 'Content-Length: 0'))).toMatch(answer)
  expect(setting.server.requests).toHaveLength(0)
})

test('a WebSocket upgrade is refused', async () => {
  await using setting = await openSetting([{ text: 'ok' }])
  const { url, token } = setting.session
  const lines = [
    'GET /v1/responses HTTP/1.1',
    `Host: ${new URL(url).host}`,
    `Authorization: Bearer ${token}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  expect(await send(setting, `${lines.join('\r\n')}\r\n\r\n`)).not.toContain('101')
  expect(setting.server.requests).toHaveLength(0)
})

test('oversized headers are refused', async () => {
  await using setting = await openSetting([{ text: 'ok' }])
  const text = await send(setting, head(setting, post, size, `X-A: ${'x'.repeat(100_000)}`) + body)
  expect(text).toMatch(/^HTTP\/1\.1 431 /)
  expect(setting.server.requests).toHaveLength(0)
})

test('a client that sends Expect: 100-continue may continue', async () => {
  await using setting = await openSetting([{ text: 'ok' }])
  const text = await send(setting, head(setting, post, size, 'Expect: 100-continue') + body)
  expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
  expect(setting.server.requests[0]?.headers['expect']).toBeUndefined()
  const odd = await send(setting, head(setting, post, size, 'Expect: a-wonder') + body)
  expect(odd).toMatch(/^HTTP\/1\.1 417 /)
  expect(setting.server.requests).toHaveLength(1)
})

test('pipelined requests are answered in order', async () => {
  await using setting = await openSetting(({ body: { messages } }) => ({
    text: JSON.stringify(messages),
  }))
  const { host } = new URL(setting.session.url)
  const one = (word: string, connection: string): string => {
    const asked = body.replace('hello', word)
    const lines = [
      post,
      `Host: ${host}`,
      'Content-Type: application/json',
      `x-api-key: ${setting.session.token}`,
      `Content-Length: ${asked.length}`,
      `Connection: ${connection}`,
    ]
    return `${lines.join('\r\n')}\r\n\r\n${asked}`
  }
  const text = await send(setting, one('first', 'keep-alive') + one('second', 'close'))
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  expect(text.indexOf('first')).toBeLessThan(text.indexOf('second'))
  await setting.session.close()
  expect(setting.ledger).toMatchObject({ open: 0, spent: { tokens: 240 } })
})

test.each([
  ['headers', ''],
  ['body', `${size}\r\n\r\n{`],
])('a client that sends the %s one byte at a time is disconnected', async (_name, more) => {
  await using setting = await openSetting([{ text: 'ok' }], { limits: { requestMs: 200 } })
  const start = head(setting, post).slice(0, -2)
  expect(await send(setting, `${start}${more}`)).toMatch(/^(?:HTTP\/1\.1 408 |$)/)
  const totals = await setting.session.close()
  expect(totals.trouble).toBeUndefined()
  expect(setting.server.requests).toHaveLength(0)
})

test('a session closes at once, however slow a client is', async () => {
  await using setting = await openSetting([{ text: 'ok' }])
  const slow = send(setting, `${head(setting, post, size).slice(0, -2)}\r\n{`)
  await expect.poll(() => setting.session.activity.inProgress).toBe(1)
  // The limit for a request is a minute.
  await setting.session.close()
  expect(await slow).not.toContain('200 OK')
  expect(setting.server.requests).toHaveLength(0)
})

test('a client that disconnects in the middle of a body has sent no request', async () => {
  await using setting = await openSetting([{ text: 'ok' }])
  const { port } = new URL(setting.session.url)
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
  socket.write(`${head(setting, post, size)}{`)
  await expect.poll(() => setting.session.activity.inProgress).toBe(1)
  socket.destroy()
  await expect.poll(() => setting.session.activity.inProgress).toBe(0)
  expect(await setting.session.close()).toMatchObject({ exchanges: 0, trouble: undefined })
})

test('a client that disconnects in a stream pays for the output, and the provider is released', async () => {
  const text = 'and so on '.repeat(40)
  const usage = { input: 30, output: 80 }
  const fault = { does: 'stall', afterEvents: 20 } as const
  await using setting = await openSetting([{ text, pieces: 40, usage, fault }])
  for (const [index, format] of (['anthropic', 'gemini'] as const).entries()) {
    const controller = new AbortController()
    const answer = await ask(setting, format, true, { signal: controller.signal })
    const reader = answer.body?.getReader()
    await reader?.read()
    controller.abort()
    await expect.poll(() => setting.exchanges.length).toBe(index + 1)
    const { ended, spent, isEstimated } = setting.exchanges[index] ?? {}
    expect(ended).toBe('client-gone')
    expect(isEstimated).toBe(true)
    const { input = 0, output = 0 } = setting.server.bills[index] ?? {}
    expect(output).toBeGreaterThan(30)
    expect(spent?.tokens).toBeGreaterThanOrEqual(input + output)
    expect(spent?.tokens).toBeLessThan(1000)
  }
  expect(setting.ledger.open).toBe(0)
})

test('300 concurrent requests are answered or refused for now, and all are accounted for', async () => {
  await using setting = await openSetting([{ text: 'ok' }])
  const { url, token } = setting.session
  const headers = { 'x-api-key': token, 'content-type': 'application/json' }
  const once = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = httpRequest(`${url}/v1/messages`, { method: 'POST', headers, agent: false })
      asked.on('response', (response) =>
        response.resume().on('end', () => resolve(response.statusCode)),
      )
      asked.on('error', reject).end(body)
    })
  const statuses = await Promise.all(Array.from({ length: 300 }, once))
  const good = statuses.filter((status) => status === 200).length
  expect(good + statuses.filter((status) => status === 429).length).toBe(300)
  expect(good).toBeGreaterThanOrEqual(256)
  const totals = await setting.session.close()
  expect(totals.requests).toBe(good)
  expect(setting.ledger).toMatchObject({ open: 0, spent: { tokens: good * 120 } })
  expect(setting.server.requests).toHaveLength(good)
})
