import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { readNpmSettings } from './npm-settings.ts'
import { findProxy, readProxySettings } from './operator-proxy.ts'
import { requestUpstream } from './request-upstream.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return (server.address() as AddressInfo).port
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}

describe("the operator's proxy", () => {
  test.each([
    ['https://a.example/', { HTTPS_PROXY: 'http://p:1' }, {}, 'http://p:1/'],
    ['https://a.example/', { https_proxy: 'p:1' }, {}, 'http://p:1/'],
    ['https://a.example/', { HTTP_PROXY: 'http://p:1' }, {}, undefined],
    ['https://a.example/', { ALL_PROXY: 'http://p:1' }, {}, 'http://p:1/'],
    ['http://a.example/', { HTTP_PROXY: 'http://p:1' }, {}, 'http://p:1/'],
    ['https://a.example/', { HTTPS_PROXY: 'http://p:1' }, { proxy: 'http://q:2' }, 'http://q:2/'],
    ['https://a.example/', {}, { 'https-proxy': 'http://q:2', proxy: 'null' }, 'http://q:2/'],
    ['https://a.example/', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '.example' }, {}, undefined],
    ['https://a.example/', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'ple' }, {}, 'http://p:1/'],
    [
      'https://a.example/',
      { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a.example:80' },
      {},
      'http://p:1/',
    ],
    ['https://a.example/', { HTTPS_PROXY: 'http://p:1' }, { noproxy: 'x, a.example' }, undefined],
    ['https://localhost:1/', { HTTPS_PROXY: 'http://p:1' }, {}, undefined],
  ])('for %s with %j and npm settings %j', (url, env, npm, expected) => {
    const settings = readProxySettings(env, new Map(Object.entries(npm)))
    expect(findProxy(settings)(new URL(url))?.href).toBe(expected)
  })

  test('is read from the npm settings of the operator', () => {
    const env = { npm_config_https_proxy: 'http://p:1', npm_config_noproxy: 'a.example' }
    const { proxy } = readNpmSettings({ env, home: '/nonexistent', node: '/nonexistent/bin/node' })
    expect(proxy).toEqual({ https: 'http://p:1', noProxy: 'a.example' })
  })

  test('gets the absolute URL for plain HTTP, and its own credentials', async () => {
    const seen: (readonly unknown[])[] = []
    const port = await listen(
      createServer(({ url, headers }, response) => {
        seen.push([url, headers.host, headers['proxy-authorization'], headers.authorization])
        response.end('from the proxy')
      }),
    )
    const response = await requestUpstream(
      new URL('http://registry.example/a'),
      { method: 'GET', headers: { authorization: 'Bearer t' } },
      {
        tls: { rejectUnauthorized: true },
        proxy: findProxy({ http: `http://me:secret@127.0.0.1:${port}` }),
      },
    )
    expect(await textOf(response)).toBe('from the proxy')
    const basic = `Basic ${Buffer.from('me:secret').toString('base64')}`
    expect(seen).toEqual([['http://registry.example/a', 'registry.example', basic, 'Bearer t']])
  })

  test('connects to HTTPS registries, and never sees their credentials', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lw-proxy-'))
    closing.push(() => rmSync(folder, { recursive: true, force: true }))
    const made = '-x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1'
    const named = [
      '-subj',
      '/CN=registry.example',
      '-addext',
      'subjectAltName=DNS:registry.example',
    ]
    execFileSync('openssl', ['req', ...made.split(' '), ...named], { cwd: folder, stdio: 'ignore' })
    const cert = readFileSync(join(folder, 'cert.pem'), 'utf8')
    const key = readFileSync(join(folder, 'key.pem'), 'utf8')
    const registry = await listen(
      createSecureServer({ cert, key }, ({ headers }, response) =>
        response.end(`hello ${headers.authorization}`),
      ),
    )
    const connected: (readonly unknown[])[] = []
    const proxy = createServer()
    proxy.on('connect', ({ url, headers }: IncomingMessage, socket: Socket) => {
      connected.push([url, headers.authorization])
      if (url?.startsWith('refused') === true) {
        socket.end('HTTP/1.1 407 No\r\n\r\n')
        return
      }
      const upstream = connect(registry, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        upstream.pipe(socket).pipe(upstream)
      })
    })
    const port = await listen(proxy)
    const options = {
      tls: { ca: [cert], rejectUnauthorized: true },
      proxy: findProxy({ https: `http://127.0.0.1:${port}` }),
    }
    const asked = { method: 'GET', headers: { authorization: 'Bearer t' } }
    const response = await requestUpstream(new URL('https://registry.example/a'), asked, options)
    expect(await textOf(response)).toBe('hello Bearer t')
    expect(connected).toEqual([['registry.example:443', undefined]])
    await expect(
      requestUpstream(new URL('https://refused.example/'), asked, options),
    ).rejects.toThrow(
      /the proxy 127\.0\.0\.1:\d+ did not connect to refused\.example:443: it answered 407/,
    )
  })
})
