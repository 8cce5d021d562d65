// The daemon as a process: who can connect, who holds the lock, how it ends.

import { execFile } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { loopd } from '../../build/proof/daemon-process.js'
import { sendRaw } from '../../build/proof/raw-http.js'
import { addNamedToken, removeNamedToken } from '../../src/daemon/named-tokens.ts'
import { rotateToken } from '../../src/daemon/token-file.ts'
import { getDaemonFiles } from '../../src/system/daemon-files.ts'
import { afterStory } from '../after.ts'
import { type StartedDaemon, startDaemon } from './start-daemon.ts'

const run = promisify(execFile)

let daemon: StartedDaemon
beforeAll(async () => {
  daemon = await startDaemon()
})

const modeOf = (path: string): number => lstatSync(path).mode & 0o777

/** What a second daemon prints, and how it ends. */
async function second(state: string, ...args: string[]): Promise<{ code: number; stderr: string }> {
  const words = [loopd, '--state', state, '--port', '0', ...args]
  return run(process.execPath, words).then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  )
}

describe('connections', () => {
  test('are answered with a token, and only refused without one', async () => {
    expect((await daemon.ask('GET', '/health')).json()).toEqual({ status: 'ok' })
    expect((await daemon.ask('GET', '/ready')).status).toBe(200)
    const refused = await fetch(`${daemon.address}/health`)
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toContain('Bearer')
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    expect(await refused.json()).toMatchObject({ status: 401, code: 'no-token' })
  })

  test('over the socket are answered for any Host, and never without a token', async () => {
    const headers = [['Host', 'anything'] as const]
    const authorization = ['Authorization', `Bearer ${daemon.token}`] as const
    const where = { path: daemon.socket }
    const request = { method: 'GET', path: '/health' }
    expect((await sendRaw(where, { ...request, headers })).status).toBe(401)
    const passed = await sendRaw(where, { ...request, headers: [...headers, authorization] })
    expect(passed).toMatchObject({ status: 200, body: '{"status":"ok"}' })
    expect((await sendRaw(where, { ...request, headers: [authorization] })).status).toBe(200)
  })

  test('get security headers that forbid caching, and allow no other origin', async () => {
    for (const { headers } of [
      await daemon.ask('GET', '/health'),
      await daemon.ask('GET', '/no-such-route'),
      await daemon.ask('OPTIONS', '/runs'),
      await fetch(`${daemon.address}/runs`),
    ]) {
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-request-id')).toMatch(/^[\w-]+$/)
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  test('get the id of their request back if it is valid', async () => {
    const idOf = async (id: string): Promise<string | null> => {
      const response = await fetch(`${daemon.address}/health`, { headers: { 'x-request-id': id } })
      return response.headers.get('x-request-id')
    }
    expect(await idOf('mine-1')).toBe('mine-1')
    expect(await idOf('<script>')).not.toContain('<')
  })

  test.each([
    ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
    ['endless headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`, 431],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    ['a tunnel', 'CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example:80\r\n\r\n', 421],
  ])('with %s are refused as a problem', async (_what, bytes, status) => {
    const answer = await sendRaw({ port: daemon.port }, bytes)
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toMatchObject({ status })
    expect((await daemon.ask('GET', '/health')).status).toBe(200)
  })

  test('that send Expect are told whether to continue', async () => {
    const asking = (type: string) => ({
      method: 'POST',
      path: '/loops/preview',
      headers: [
        ['Host', `127.0.0.1:${daemon.port}`],
        ['Authorization', `Bearer ${daemon.token}`],
        ['Content-Type', type],
        ['Expect', '100-continue'],
      ] as const,
      body: '{}',
    })
    const passed = await sendRaw({ port: daemon.port }, asking('application/json'))
    expect(passed.status).toBe(100)
    const refused = await sendRaw({ port: daemon.port }, asking('text/plain'))
    expect(refused.status).toBe(415)
  })

  test('are never upgraded: 401 without a token, 426 with one', async () => {
    const upgrade = (...more: (readonly [string, string])[]) =>
      sendRaw(
        { port: daemon.port },
        {
          method: 'GET',
          path: '/events',
          headers: [
            ['Host', `127.0.0.1:${daemon.port}`],
            ['Connection', 'Upgrade'],
            ['Upgrade', 'websocket'],
            ...more,
          ],
        },
      )
    expect((await upgrade()).status).toBe(401)
    expect((await upgrade(['Authorization', `Bearer ${daemon.token}`])).status).toBe(426)
  })
})

describe('files', () => {
  test('are private to their owner', () => {
    const { folder, token, readToken, log, lock, file, pid, socket } = getDaemonFiles(daemon.state)
    expect(modeOf(folder)).toBe(0o700)
    for (const path of [token, readToken, log, lock, file, pid, socket]) {
      expect([path, modeOf(path)]).toEqual([path, 0o600])
    }
  })

  test('the log contains no token, even if a client puts it into a URL', async () => {
    await daemon.ask('GET', `/no-such-route/${daemon.token}`)
    expect(readFileSync(getDaemonFiles(daemon.state).log, 'utf8')).not.toContain(daemon.token)
  })
})

describe('tokens', () => {
  test('a read-only token is refused for everything that changes something', async () => {
    const headers = {
      authorization: `Bearer ${daemon.readToken}`,
      'content-type': 'application/json',
    }
    expect((await fetch(`${daemon.address}/health`, { headers })).status).toBe(200)
    const changing = await fetch(`${daemon.address}/runs`, { method: 'POST', headers, body: '{}' })
    expect(changing.status).toBe(403)
  })

  test('a replaced token is rejected from the next request on; the new one works', async () => {
    const { state } = daemon
    const old = daemon.readToken
    const next = rotateToken(state, 'read')
    const statusFor = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`${daemon.address}/health`, { headers })).status
    }
    expect(await statusFor(old)).toBe(401)
    expect(await statusFor(next)).toBe(200)
    const { readToken } = getDaemonFiles(state)
    chmodSync(readToken, 0o644)
    expect(await statusFor(next)).toBe(401)
    rmSync(readToken)
    expect(await statusFor(next)).toBe(401)
    expect(await statusFor(rotateToken(state, 'read'))).toBe(200)
  })
})

describe('tokens of people', () => {
  test('decide under their name, or only read, and work until they are removed', async () => {
    const { state } = daemon
    const anna = await addNamedToken(state, 'anna', 'write')
    const kim = await addNamedToken(state, 'kim', 'read')
    const { namedTokens } = getDaemonFiles(state)
    const text = readFileSync(namedTokens, 'utf8')
    expect(text).not.toContain(anna)
    expect(lstatSync(namedTokens).mode & 0o777).toBe(0o600)
    const send = async (token: string, method: string, path: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = method === 'GET' ? {} : { body: '{}' }
      return (await fetch(`${daemon.address}${path}`, { method, headers, ...body })).status
    }
    expect(await send(anna, 'GET', '/health')).toBe(200)
    expect(await send(kim, 'GET', '/health')).toBe(200)
    expect(await send(kim, 'POST', '/runs/any/pause')).toBe(403)
    expect(await send(anna, 'POST', '/runs/any/pause')).toBe(404)
    await removeNamedToken(state, 'kim')
    expect(await send(kim, 'GET', '/health')).toBe(401)
    expect(await send(anna, 'GET', '/health')).toBe(200)
    chmodSync(namedTokens, 0o644)
    expect(await send(anna, 'GET', '/health')).toBe(401)
    rmSync(namedTokens)
  })

  test('the stream of a removed token is closed', async () => {
    const token = await addNamedToken(daemon.state, 'stream', 'read')
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const response = await fetch(`${daemon.address}/events`, { headers })
    expect(response.status).toBe(200)
    await removeNamedToken(daemon.state, 'stream')
    await expect(response.text()).rejects.toThrow(/terminated|aborted|closed/)
  })
})

describe('the lock of the state folder', () => {
  test('a second daemon names the first one, even if that is stopped', async () => {
    process.kill(daemon.pid, 'SIGSTOP')
    afterStory(() => process.kill(daemon.pid, 'SIGCONT'))
    const { code, stderr } = await second(daemon.state)
    expect(code).toBe(75)
    expect(stderr).toContain(`pid ${daemon.pid}`)
    expect(stderr).toContain(daemon.address)
  })

  test('stale files of an earlier daemon do not matter', async () => {
    const { pid, file } = getDaemonFiles(daemon.state)
    const kept = [pid, file].map((path) => [path, readFileSync(path, 'utf8')] as const)
    writeFileSync(pid, `${process.pid}\n`)
    writeFileSync(
      file,
      JSON.stringify({
        pid: process.pid,
        address: 'http://127.0.0.1:1',
        socket: '',
        startedAtMs: 1,
      }),
    )
    const { code, stderr } = await second(daemon.state)
    for (const [path, text] of kept) writeFileSync(path, text)
    expect(code).toBe(75)
    expect(stderr).toContain(`pid ${daemon.pid}`)
    expect(stderr).not.toContain('127.0.0.1:1.')
  })

  test('a killed daemon leaves files, and the next one starts anyway', async () => {
    const first = await startDaemon()
    await first.kill()
    expect(existsSync(getDaemonFiles(first.state).file)).toBe(true)
    const next = await startDaemon({ state: first.state })
    expect(next.token).toBe(first.token)
    expect((await next.ask('GET', '/health')).status).toBe(200)
    expect(await next.stop()).toBe(0)
    const { file, pid, socket } = getDaemonFiles(first.state)
    expect([file, pid, socket].filter((path) => existsSync(path))).toEqual([])
  })
})
