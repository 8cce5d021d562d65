/**
 * Gives a package manager in the sandbox access to the operator's registries: an HTTP server on a Unix socket,
 * which a relay exposes on the loopback in the sandbox. It forwards reads and adds credentials outside, so that
 * no manager and no package ever sees them.
 *
 * 1. Only GET and HEAD, and only below a route.
 * 2. Credentials go only to the origin they belong to, never with a redirect to another.
 * 3. URLs in the responses of a registry are replaced by endpoint URLs, because nothing else can be reached
 *    from the sandbox. A linked URL can be requested only after a registry has linked to it.
 * 4. A linked URL is on the public internet or belongs to a registry of the operator, never to this machine.
 * 5. Everything is limited: connections, inactivity, redirects, the size of rewritten responses.
 */

import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { rootCertificates } from 'node:tls'
import { defined, textOf } from '../../../loop/index.ts'
import { findRoute, findTarget, type Target } from './find-target.ts'
import { findProxy, type ProxySettings } from './operator-proxy.ts'
import { requestUpstream, type UpstreamOptions } from './request-upstream.ts'
import { bareHost, ForbiddenLinkError, resolveLink } from './resolve-link.ts'

export interface RegistryRoute {
  /** The first part of the path at the endpoint, such as `npm/0`. */
  readonly prefix: string
  /** The URL of the registry, with a slash at the end. */
  readonly upstream: string
  readonly headers: Readonly<Record<string, string>>
  /** Replaces the URLs in a response; undefined: it is forwarded unchanged. */
  readonly rewrite?: (response: RegistryResponse, link: Link) => string | undefined
  /** `path` is decoded. True: it is not a package, but something else that the credentials give access to. */
  readonly isRefused?: (path: string) => boolean
  /** The URL comes from a registry, not from the operator. */
  readonly isLinked?: true
}

export interface RegistryResponse {
  /** Relative to the route. */
  readonly path: string
  readonly contentType: string
  readonly body: string
}

/** Maps a URL in a response to an endpoint URL. */
export type Link = (url: string) => string

export interface EndpointOptions {
  readonly routes: readonly RegistryRoute[]
  /** For the socket, so its path must be short. */
  readonly folder: string
  readonly caFile?: string
  readonly isStrictSsl?: boolean
  readonly proxy?: ProxySettings
  /** Approved archives by name: `/approved/<name>/<any>.tgz`. */
  readonly files?: ReadonlyMap<string, string>
  /** Which IP addresses registries may link to, besides their own; default: public ones. */
  readonly mayReach?: (address: string) => boolean
}

export interface RegistryEndpoint {
  readonly socket: string
  readonly port: number
  /** The last refused and failed requests, oldest first. */
  problems(): readonly string[]
  close(): Promise<void>
}

/** In the sandbox, where nothing else listens. */
export const registryPort = 4142
export const registryUrl: string = `http://127.0.0.1:${registryPort}/`

const connectionsMax = 256
const redirectsMax = 5
const rewrittenBytesMax = 256 * 1024 * 1024
const linksMax = 2_000_000
const problemsMax = 20

export async function openRegistryEndpoint(options: EndpointOptions): Promise<RegistryEndpoint> {
  const links = new Map<string, string>()
  const problems: string[] = []
  const note = (problem: string): void => {
    problems.push(problem)
    if (problems.length > problemsMax) problems.shift()
  }
  const ca = options.caFile === undefined ? undefined : readTrustedCertificates(options.caFile)
  const tls = {
    ...defined({ ca }),
    rejectUnauthorized: options.isStrictSsl !== false,
  }
  const forwarding = { ...options, links, tls, proxy: findProxy(options.proxy ?? {}) }
  const server = createServer((request, response) => {
    answer(request, response, forwarding).catch((error: unknown) => {
      note(`${request.url?.slice(0, 200)}: ${textOf(error)}`)
      if (response.headersSent) response.destroy()
      else if (error instanceof ForbiddenLinkError) refuse(response, 403, error.message)
      else refuse(response, 502, 'The registry could not be reached.')
    })
  })
  server.maxConnections = connectionsMax
  const socket = join(options.folder, 'registry.sock')
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, resolve)
  })
  await chmod(socket, 0o600)
  return {
    socket,
    port: registryPort,
    problems: () => problems,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    parts: Forwarding,
  ): Promise<void> {
    const [, name] = /^\/approved\/([0-9a-f]{32})\/[^/]*$/.exec(request.url ?? '') ?? []
    const file = name === undefined ? undefined : parts.files?.get(name)
    if (file !== undefined && request.method === 'GET') return sendFile(file, response)
    const target = findTarget(request, parts.routes, parts.links)
    if (typeof target === 'string') {
      note(`${request.method} ${request.url?.slice(0, 200)}: ${target}`)
      return refuse(response, 403, target)
    }
    const found = await fetchFrom(target.url, target.route, request, parts)
    const status = found.statusCode ?? 502
    if (status >= 400) note(`${withoutSecrets(target.url)} answered ${status}`)
    await forward(found, target, response, request.method === 'HEAD', parts)
  }
}

async function sendFile(file: string, response: ServerResponse): Promise<void> {
  const { size } = await stat(file)
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size })
  await pipeline(createReadStream(file), response)
}

interface Forwarding extends Omit<EndpointOptions, 'proxy'>, UpstreamOptions {
  readonly links: Map<string, string>
}

const readTrustedCertificates = (file: string): readonly string[] => [
  ...rootCertificates,
  readFileSync(file, 'utf8'),
]

const withoutSecrets = ({ origin, pathname }: URL): string => `${origin}${pathname}`

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`)
}

const isSameOrigin = (url: URL, { upstream, isLinked }: RegistryRoute): boolean =>
  isLinked !== true && new URL(upstream).origin === url.origin

/** Prefers the credentials of the registry at this URL, then those of one with the same origin. */
function chooseHeaders(
  url: URL,
  route: RegistryRoute | undefined,
  routes: readonly RegistryRoute[],
) {
  const requested = route !== undefined && isSameOrigin(url, route) ? route : undefined
  const owner =
    findRoute(url.href, routes) ?? requested ?? routes.find((one) => isSameOrigin(url, one))
  return owner?.headers ?? {}
}

async function fetchFrom(
  first: URL,
  route: RegistryRoute | undefined,
  request: IncomingMessage,
  parts: Forwarding,
): Promise<IncomingMessage> {
  let url = first
  for (let redirects = 0; ; redirects++) {
    const response = await ask(url, request, chooseHeaders(url, route, parts.routes), parts)
    const { statusCode = 0, headers } = response
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) {
      return response
    }
    response.resume()
    if (redirects >= redirectsMax) throw new Error('too many redirects')
    url = new URL(headers.location, url)
  }
}

async function ask(
  url: URL,
  { method, headers }: IncomingMessage,
  credentials: Readonly<Record<string, string>>,
  parts: Forwarding,
): Promise<IncomingMessage> {
  const sent = {
    accept: headers.accept ?? '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'loopwright',
    ...credentials,
  }
  const asked = { method, headers: sent }
  if (parts.routes.some((one) => isSameOrigin(url, one))) return requestUpstream(url, asked, parts)
  // A proxy resolves names itself.
  if (parts.proxy(url) !== undefined && isIP(bareHost(url)) === 0)
    return requestUpstream(url, asked, parts)
  const registries = parts.routes
    .filter(({ isLinked }) => isLinked !== true)
    .map(({ upstream }) => new URL(upstream))
  const lookup = await resolveLink(url, registries, parts.mayReach)
  return requestUpstream(url, asked, { ...parts, lookup })
}

async function forward(
  found: IncomingMessage,
  { route, path }: Target,
  response: ServerResponse,
  isHead: boolean,
  parts: Forwarding,
): Promise<void> {
  const { statusCode = 502, headers } = found
  const contentType = headers['content-type'] ?? 'application/octet-stream'
  const rewrite = isHead || statusCode !== 200 ? undefined : route?.rewrite
  if (rewrite !== undefined && (path.endsWith('.json') || /json|html|text/.test(contentType))) {
    const body = await readText(found)
    const text = rewrite({ path, contentType, body }, createLink(parts)) ?? body
    response.writeHead(statusCode, { 'content-type': contentType }).end(text)
    return
  }
  const length = headers['content-length']
  response.writeHead(statusCode, {
    'content-type': contentType,
    ...defined({ 'content-length': length }),
  })
  await new Promise<void>((resolve, reject) => {
    found.on('error', reject).on('end', resolve)
    response.on('close', () => {
      found.destroy()
      resolve()
    })
    found.pipe(response)
  })
}

async function readText(found: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of found as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > rewrittenBytesMax) throw new Error('the response is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const createLink =
  ({ routes, links }: Forwarding): Link =>
  (url) => {
    if (!URL.canParse(url)) return url
    const route = findRoute(url, routes)
    if (route !== undefined)
      return `${registryUrl}${route.prefix}/${url.slice(route.upstream.length)}`
    const id = createHash('sha256').update(url).digest('hex').slice(0, 32)
    if (links.size < linksMax) links.set(id, url)
    const name = new URL(url).pathname.split('/').at(-1) ?? ''
    return `${registryUrl}link/${id}/${name}`
  }
