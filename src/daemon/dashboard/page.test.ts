// S5, S6: what the daemon serves without a token, and to whom. Requests are sent as browsers send them.

import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterStory } from '../../../test/after.ts'
import { createDaemon, type Daemon } from '../create-daemon.ts'
import { addNamedToken, removeNamedToken } from '../named-tokens.ts'
import { rotateToken } from '../token-file.ts'

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

type Sent = { readonly method?: string; readonly headers?: object; readonly body?: string }

async function open(): Promise<{
  readonly daemon: Daemon
  readonly state: string
  readonly origin: string
  send(path: string, sent?: Sent): Promise<Answer>
  ask(path: string, token: string, sent?: Sent): Promise<Answer>
  exchange(code: string, headers?: object): Promise<Answer>
  newCode(token?: string): Promise<string>
}> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-page-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  const state = join(folder, 'state')
  const daemon = await createDaemon(
    {
      folder: state,
      hostname: '127.0.0.1',
      port: 0,
      maxConcurrentRuns: 1,
      maxRunsPerWorkspace: 1,
      queuePolicy: 'fifo',
    },
    { logLevel: 'silent' },
  )
  afterStory(() => daemon.stop({ atOnce: true }))
  const origin = daemon.address
  const send = (path: string, { method = 'GET', headers = {}, body = '' }: Sent = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(`${origin}${path}`, { method, headers: { ...headers } }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () => {
          const { statusCode: status = 0, headers: got } = response
          resolve({ status, headers: got, text: Buffer.concat(parts).toString() })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  const json = { 'content-type': 'application/json' }
  const ask = (path: string, token: string, sent: Sent = {}): Promise<Answer> =>
    send(path, { ...sent, headers: { ...json, authorization: `Bearer ${token}` } })
  const exchange = (code: string, headers: object = {}): Promise<Answer> =>
    send('/ui/session', {
      method: 'POST',
      headers: { ...json, origin, 'sec-fetch-site': 'same-origin', ...headers },
      body: JSON.stringify({ code }),
    })
  const { readToken, tokenPath } = await import('../token-file.ts')
  const newCode = async (token = readToken(tokenPath(state, 'write'))): Promise<string> => {
    const { text } = await ask('/daemon/links', token, { method: 'POST', body: '{}' })
    return (JSON.parse(text) as { url: string }).url.split('#code=')[1] ?? ''
  }
  return { daemon, state, origin, send, ask, exchange, newCode }
}

const tokenIn = ({ text }: Answer): string => (JSON.parse(text) as { token: string }).token

test('the page is served without a token, may not be framed, and runs no script but its own', async () => {
  const { send } = await open()
  for (const path of ['/ui/', '/ui/runs/some-run', '/ui/index.html']) {
    const { status, headers, text } = await send(path)
    expect(status).toBe(200)
    expect(text).toContain('<div id="app">')
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=|style=/)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    })
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|\*|http/)
    expect(headers['set-cookie']).toBeUndefined()
    expect(headers['access-control-allow-origin']).toBeUndefined()
  }
  expect(await send('/')).toMatchObject({ status: 302, headers: { location: '/ui/' } })
})

test('its files are those that were built, and no others', async () => {
  const { send } = await open()
  const { text } = await send('/ui/')
  const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  expect(files.length).toBeGreaterThanOrEqual(3)
  for (const path of files) {
    expect(await send(path)).toMatchObject({
      status: 200,
      headers: { 'x-content-type-options': 'nosniff' },
    })
  }
  for (const path of ['nothing.js', '..%2findex.html', '%2e%2e%2f%2e%2e%2fdaemon/loopd.js', '']) {
    const { status } = await send(`/ui/assets/${path}`)
    expect(status).toBe(404)
  }
})

test('a code gives the token of one tab; a second use, another code and no code give nothing', async () => {
  const { ask, exchange, newCode } = await open()
  const code = await newCode()
  const first = await exchange(code)
  expect(first).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
  expect(first.headers['set-cookie']).toBeUndefined()
  expect((await ask('/runs', tokenIn(first))).status).toBe(200)
  expect((await exchange(code)).status).toBe(401)
  expect((await exchange('x'.repeat(43))).status).toBe(401)
  expect((await exchange('')).status).toBe(401)
})

test.each([
  ['another origin', { origin: 'http://evil.example' }, 403],
  ['another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }, 403],
  ['a sandboxed frame', { origin: 'null' }, 403],
  ['a form', { 'content-type': 'text/plain' }, 415],
  ['another host', { host: 'evil.example' }, 421],
  ['a program without an origin', { origin: undefined }, 403],
])('%s cannot use a code, which stays good', async (_what, headers, status) => {
  const { exchange, newCode } = await open()
  const code = await newCode()
  const given = Object.fromEntries(
    Object.entries(headers).filter(([, value]) => value !== undefined),
  )
  const answer =
    'origin' in headers && headers.origin === undefined
      ? await exchangeWithoutOrigin(code)
      : await exchange(code, given)
  expect(answer.status).toBe(status)
  expect((await exchange(code)).status).toBe(200)

  async function exchangeWithoutOrigin(one: string): Promise<Answer> {
    const { origin } = await open()
    const response = await fetch(`${origin}/ui/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: one }),
    })
    return { status: response.status, headers: {}, text: await response.text() }
  }
})

test('a link on any page may lead to the dashboard, but no page may load or frame it', async () => {
  const { send } = await open()
  const from = (mode: string, dest: string): Promise<Answer> =>
    send('/ui/runs/x', {
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest },
    })
  expect((await from('navigate', 'document')).status).toBe(200)
  expect((await from('navigate', 'iframe')).status).toBe(403)
  expect((await from('no-cors', 'script')).status).toBe(403)
  expect((await from('cors', 'empty')).status).toBe(403)
})

test('everything else needs a token: other methods, other paths, and the socket', async () => {
  const { send } = await open()
  expect((await send('/ui/', { method: 'POST' })).status).toBe(401)
  expect((await send('/ui/session')).status).toBe(401)
  expect((await send('/uis')).status).toBe(401)
  expect((await send('/runs')).status).toBe(401)
})

test('the token of a tab ends with the token of the daemon', async () => {
  const { state, ask, exchange, newCode } = await open()
  const token = tokenIn(await exchange(await newCode()))
  expect((await ask('/runs', token)).status).toBe(200)
  rotateToken(state)
  expect((await ask('/runs', token)).status).toBe(401)
})

test('the token of a tab has the name of the person who made the link, and ends when that person is removed', async () => {
  const { state, ask, exchange, newCode } = await open()
  const anna = await addNamedToken(state, 'anna', 'write')
  const answer = await exchange(await newCode(anna))
  expect(JSON.parse(answer.text)).toMatchObject({ scope: 'write', name: 'anna' })
  const token = tokenIn(answer)
  expect((await ask('/runs', token)).status).toBe(200)
  await removeNamedToken(state, 'anna')
  expect((await ask('/runs', token)).status).toBe(401)
})
