import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { npmRoutes } from './npm-routes.ts'
import {
  type EndpointOptions,
  openRegistryEndpoint,
  type RegistryEndpoint,
  registryUrl,
} from './registry-endpoint.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

interface Upstream {
  readonly url: string
  readonly seen: { readonly path: string; readonly authorization: string | undefined }[]
}

async function upstream(
  answer: (request: IncomingMessage) => {
    readonly status?: number
    readonly headers?: Record<string, string>
    readonly body: string
  },
): Promise<Upstream> {
  const seen: { path: string; authorization: string | undefined }[] = []
  const server: Server = createServer((asked, response) => {
    seen.push({ path: asked.url ?? '', authorization: asked.headers.authorization })
    const { status = 200, headers = {}, body } = answer(asked)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen }
}

async function endpointFor(
  url: string,
  more: Partial<EndpointOptions> = {},
): Promise<RegistryEndpoint> {
  const folder = mkdtempSync(join(tmpdir(), 'lw-'))
  closing.push(() => rmSync(folder, { recursive: true, force: true }))
  const registries = [{ url, headers: { authorization: 'Bearer s3cret' } }]
  const endpoint = await openRegistryEndpoint({
    routes: npmRoutes({ registries, isStrictSsl: true }),
    folder,
    ...more,
  })
  closing.push(() => endpoint.close())
  return endpoint
}

function ask(
  { socket }: RegistryEndpoint,
  path: string,
  method = 'GET',
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: socket, path, method }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject).end()
  })
}

describe('the endpoint', () => {
  test('adds credentials outside, and replaces the addresses of archives', async () => {
    const files = await upstream(() => ({ body: 'archive' }))
    const registry = await upstream(() => ({
      body: JSON.stringify({
        versions: {
          '1.0.0': { dist: { tarball: `${registry.url}a/-/a-1.0.0.tgz` } },
          '2.0.0': { dist: { tarball: `${files.url}a-2.0.0.tgz` } },
        },
      }),
    }))
    const endpoint = await endpointFor(registry.url, { mayReach: () => true })
    const { text } = await ask(endpoint, '/npm/0/a')
    expect(registry.seen).toEqual([{ path: '/a', authorization: 'Bearer s3cret' }])
    const { versions } = JSON.parse(text) as {
      versions: Record<string, { dist: { tarball: string } }>
    }
    expect(versions['1.0.0']?.dist.tarball).toBe(`${registryUrl}npm/0/a/-/a-1.0.0.tgz`)
    const linked = versions['2.0.0']?.dist.tarball ?? ''
    expect(linked.startsWith(`${registryUrl}link/`)).toBe(true)
    expect(linked.endsWith('/a-2.0.0.tgz')).toBe(true)
    expect((await ask(endpoint, new URL(linked).pathname)).text).toBe('archive')
    expect(files.seen).toEqual([{ path: '/a-2.0.0.tgz', authorization: undefined }])
  })

  test('sends no credentials along with a redirect to another origin', async () => {
    const other = await upstream(() => ({ body: '{}' }))
    const registry = await upstream(() => ({
      status: 302,
      headers: { location: `${other.url}elsewhere` },
      body: '',
    }))
    const endpoint = await endpointFor(registry.url, { mayReach: () => true })
    expect((await ask(endpoint, '/npm/0/a')).status).toBe(200)
    expect(other.seen).toEqual([{ path: '/elsewhere', authorization: undefined }])
  })

  test.each([
    ['GET', '/'],
    ['GET', '/npm/1/a'],
    ['GET', '/npm/0/../../secret'],
    ['GET', '/npm/0/a/%2e%2e/%2E%2e/secret'],
    ['GET', '/npm/0/..%2f..%2fsecret'],
    ['GET', '/npm/0/a%5C..%5c..%5csecret'],
    ['GET', '/npm/0/%252e%252e/secret'],
    ['GET', '/npm/0/a%'],
    ['GET', '/npm/0/-/whoami'],
    ['GET', '/npm/0/%2d/npm/v1/tokens'],
    ['GET', '/npm/0//evil.example/a'],
    ['GET', '/npm/0/https://evil.example/a'],
    ['GET', '/link/00000000000000000000000000000000/a.tgz'],
    ['PUT', '/npm/0/a'],
    ['POST', '/npm/0/-/npm/v1/security/audits'],
  ])('%s %s reaches nothing', async (method, path) => {
    const registry = await upstream(() => ({ body: '{}' }))
    const endpoint = await endpointFor(`${registry.url}base/`)
    expect((await ask(endpoint, path, method)).status).toBe(403)
    expect(registry.seen).toEqual([])
    expect(endpoint.problems()).toHaveLength(1)
  })

  test('does not connect to a service of this machine that a registry points to', async () => {
    const other = await upstream(() => ({ body: 'secret' }))
    const registry = await upstream(({ url }) =>
      url === '/a'
        ? { status: 302, headers: { location: `${other.url}admin` }, body: '' }
        : { body: JSON.stringify({ dist: { tarball: `${other.url}b.tgz` } }) },
    )
    const endpoint = await endpointFor(registry.url)
    expect((await ask(endpoint, '/npm/0/a')).status).toBe(403)
    const { dist } = JSON.parse((await ask(endpoint, '/npm/0/b')).text) as {
      dist: { tarball: string }
    }
    expect((await ask(endpoint, new URL(dist.tarball).pathname)).status).toBe(403)
    expect(other.seen).toEqual([])
    expect(endpoint.problems()[0]).toContain(
      'neither one of your registries nor on the public internet',
    )
  })

  test('sends the credentials of the nearest of two registries with one origin', async () => {
    const registry = await upstream(() => ({
      body: JSON.stringify({ dist: { tarball: `${registry.url}inner/b.tgz` } }),
    }))
    const registries = [
      { url: registry.url, headers: { authorization: 'Bearer outer' } },
      { scope: '@b', url: `${registry.url}inner/`, headers: { authorization: 'Bearer inner' } },
    ]
    const routes = npmRoutes({ registries, isStrictSsl: true, proxy: {} })
    const endpoint = await endpointFor(registry.url, { routes })
    const { text } = await ask(endpoint, '/npm/0/b')
    const { dist } = JSON.parse(text) as { dist: { tarball: string } }
    await ask(endpoint, new URL(dist.tarball).pathname)
    expect(registry.seen.map(({ authorization }) => authorization)).toEqual([
      'Bearer outer',
      'Bearer inner',
    ])
  })

  test('reports what a registry refused', async () => {
    const registry = await upstream(() => ({ status: 401, body: '{}' }))
    const endpoint = await endpointFor(registry.url)
    expect((await ask(endpoint, '/npm/0/a')).status).toBe(401)
    expect(endpoint.problems()).toEqual([`${registry.url}a answered 401`])
  })
})
