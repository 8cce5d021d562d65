/**
 * The registries of the operator, for a package manager in the sandbox: an HTTP server on a Unix socket,
 * which a relay shows inside on the loopback. It forwards reads and adds credentials out here, so that no
 * manager and no package ever sees them.
 *
 * 1. Only GET and HEAD, only below a route, and only to what that route leads to.
 * 2. Credentials go to the origin they are for, never along with a redirect to another.
 * 3. Addresses in the answers of a registry are replaced by addresses of ours: nothing else can be
 *    reached inside. What is linked to can be asked for after a registry has named it, not before.
 * 4. What is linked to is on the internet, or a registry of the operator: no service of this machine.
 * 5. Everything is bounded: connections, silence, redirects, the size of what is rewritten.
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
import { askUpstream, type UpstreamOptions } from './ask-upstream.ts'
import { findTarget, routeFor, type Target } from './find-target.ts'
import { findProxy, type ProxySettings } from './operator-proxy.ts'
import { bareHost, resolveLink, UnreachableError } from './reachable-address.ts'

export interface RegistryRoute {
  /** The first part of the path inside, such as `npm/0`. */
  readonly prefix: string
  /** Where it leads, with a slash at the end. */
  readonly upstream: string
  readonly headers: Readonly<Record<string, string>>
  /** Replaces the addresses in an answer; undefined: it is passed on as it is. */
  readonly rewrite?: (answer: Answer, link: Link) => string | undefined
  /** Of a path, decoded: it is not a package, but something that the operator's credentials also open. */
  readonly isRefused?: (path: string) => boolean
  /** A registry has named this address, and not the operator. */
  readonly isLinked?: true
}

export interface Answer {
  /** The path below the route. */
  readonly path: string
  readonly contentType: string
  readonly body: string
}

/** An address of ours for one of theirs. */
export type Link = (url: string) => string

export interface EndpointOptions {
  readonly routes: readonly RegistryRoute[]
  /** For the socket; its path must be short. */
  readonly folder: string
  readonly caFile?: string
  readonly isStrictSsl?: boolean
  /** The operator's. */
  readonly proxy?: ProxySettings
  /** Archives that a person approved, by their names: `/approved/<name>/<any>.tgz`. */
  readonly files?: ReadonlyMap<string, string>
  /** Which addresses registries may lead to, besides themselves; default: public ones. */
  readonly mayReach?: (address: string) => boolean
}

export interface RegistryEndpoint {
  readonly socket: string
  readonly port: number
  /** What was refused or went wrong, in order; the last ones. */
  problems(): readonly string[]
  close(): Promise<void>
}

/** Inside, where nothing else listens. */
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
  const ca = options.caFile === undefined ? undefined : trusted(options.caFile)
  const tls = {
    ...defined({ ca }),
    rejectUnauthorized: options.isStrictSsl !== false,
  }
  const forwarding = { ...options, links, tls, proxy: findProxy(options.proxy ?? {}) }
  const server = createServer((request, response) => {
    answer(request, response, forwarding).catch((error: unknown) => {
      note(`${request.url?.slice(0, 200)}: ${textOf(error)}`)
      if (response.headersSent) response.destroy()
      else if (error instanceof UnreachableError) refuse(response, 403, error.message)
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
    await passOn(found, target, response, request.method === 'HEAD', parts)
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

const trusted = (file: string): readonly string[] => [
  ...rootCertificates,
  readFileSync(file, 'utf8'),
]

const withoutSecrets = ({ origin, pathname }: URL): string => `${origin}${pathname}`

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`)
}

const isOrigin = (url: URL, { upstream, isLinked }: RegistryRoute): boolean =>
  isLinked !== true && new URL(upstream).origin === url.origin

/** The credentials for an address are those of the registry there, or else of one with the same origin. */
function headersFor(url: URL, route: RegistryRoute | undefined, routes: readonly RegistryRoute[]) {
  const asked = route !== undefined && isOrigin(url, route) ? route : undefined
  const of = routeFor(url.href, routes) ?? asked ?? routes.find((one) => isOrigin(url, one))
  return of?.headers ?? {}
}

async function fetchFrom(
  first: URL,
  route: RegistryRoute | undefined,
  request: IncomingMessage,
  parts: Forwarding,
): Promise<IncomingMessage> {
  let url = first
  for (let redirects = 0; ; redirects++) {
    const response = await ask(url, request, headersFor(url, route, parts.routes), parts)
    const { statusCode = 0, headers } = response
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) {
      return response
    }
    response.resume()
    if (redirects >= redirectsMax) throw new Error('it redirects without end')
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
  if (parts.routes.some((one) => isOrigin(url, one))) return askUpstream(url, asked, parts)
  // A proxy resolves names itself.
  if (parts.proxy(url) !== undefined && isIP(bareHost(url)) === 0)
    return askUpstream(url, asked, parts)
  const registries = parts.routes
    .filter(({ isLinked }) => isLinked !== true)
    .map(({ upstream }) => new URL(upstream))
  const lookup = await resolveLink(url, registries, parts.mayReach)
  return askUpstream(url, asked, { ...parts, lookup })
}

async function passOn(
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
    const text = rewrite({ path, contentType, body }, linker(parts)) ?? body
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
    if (bytes > rewrittenBytesMax) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const linker =
  ({ routes, links }: Forwarding): Link =>
  (url) => {
    if (!URL.canParse(url)) return url
    const route = routeFor(url, routes)
    if (route !== undefined)
      return `${registryUrl}${route.prefix}/${url.slice(route.upstream.length)}`
    const id = createHash('sha256').update(url).digest('hex').slice(0, 32)
    if (links.size < linksMax) links.set(id, url)
    const name = new URL(url).pathname.split('/').at(-1) ?? ''
    return `${registryUrl}link/${id}/${name}`
  }
