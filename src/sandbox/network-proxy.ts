/**
 * Access to a few allowed hosts, for package installs: an HTTP proxy on a Unix socket that supports only
 * CONNECT. A sandbox reaches it through its relay.
 *
 * 1. Only listed names and ports are allowed, and no IP addresses, because the user approved names.
 * 2. The proxy resolves the name, requires every address to be public, and connects to the address it checked,
 *    so a name that resolves to an internal address, now or a moment later, is refused.
 * 3. Everything is limited: connections, the time to connect, idle time.
 */

import { lookup } from 'node:dns/promises'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect as connectTo, isIP, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { LoopError } from '../loop/index.ts'
import { makeTemporaryFolder } from '../system/index.ts'
import { isPublicAddress } from './public-address.ts'

export interface NetworkProxyOptions {
  /** `host:port`, or `*.host:port` for all names below it. */
  readonly allow: readonly string[]
  /** Called for each request, with the reason if it was refused. */
  readonly onRequest?: (request: { readonly target: string; readonly refused?: string }) => void
  /** Resolves a name to all its addresses. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
  readonly connect?: (address: string, port: number) => Socket
  /** The folder for the socket, whose path must be short. Default: a new temporary folder. */
  readonly folder?: string
}

export interface NetworkProxy {
  /** For `SandboxPlace.network`. */
  readonly socket: string
  close(): Promise<void>
}

const connectionsMax = 128
const lookupsMax = 2
const connectMs = 15_000
const idleMs = 120_000
const headerBytesMax = 4096
const defaultPort = 443

/** Starts a proxy on a Unix socket that connects only to the hosts that are allowed. */
export async function openNetworkProxy(options: NetworkProxyOptions): Promise<NetworkProxy> {
  const isAllowed = createAllowList(options.allow)
  // The path of a socket is limited to 107 bytes.
  const folder = options.folder ?? (await makeTemporaryFolder('loopwright-net-'))
  const remove = async (): Promise<void> => {
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
  }
  const socket = join(folder, 'proxy.sock')
  const open = new Set<Duplex>()
  const resolveLimited = limitLookups(options.resolve ?? resolveName)
  const server = createServer({ maxHeaderSize: headerBytesMax, requestTimeout: connectMs })
  server.maxConnections = connectionsMax
  server.on('request', (_request, response) => {
    response.writeHead(405, { connection: 'close' }).end('Only CONNECT is supported.\n')
  })
  server.on('connection', (connection) => track(open, connection))
  server.on('connect', (request: IncomingMessage, inner: Duplex, head: Buffer) => {
    // The connection comes from our own server, so it is a Socket.
    void tunnel(
      request.url ?? '',
      inner as Socket,
      head,
      { ...options, resolve: resolveLimited },
      isAllowed,
      open,
    )
  })
  try {
    await listen(server, socket)
    await chmod(socket, 0o600)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    socket,
    async close() {
      for (const stream of open) stream.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await remove()
    },
  }
}

interface Target {
  readonly name: string
  readonly port: number
}

type IsAllowed = (target: Target) => boolean

function createAllowList(entries: readonly string[]): IsAllowed {
  const allowed = entries.map((entry) => {
    const target = parseTarget(entry)
    if (target === undefined || isIP(target.name) !== 0) {
      const example = 'registry.npmjs.org:443'
      throw new LoopError(
        'bad-request',
        `"${entry}" is not a host name that can be allowed. Write it like ${example}.`,
      )
    }
    return target
  })
  return ({ name, port }) =>
    allowed.some(
      (one) =>
        one.port === port &&
        (one.name.startsWith('*.') ? name.endsWith(one.name.slice(1)) : name === one.name),
    )
}

/** Host names only: no spaces, no brackets, no user before an @. */
function parseTarget(text: string): Target | undefined {
  const [, name = '', port] =
    /^((?:\*\.)?[a-z0-9_][a-z0-9._-]{0,252})(?::(\d{1,5}))?$/i.exec(text) ?? []
  if (name === '') return undefined
  return { name: name.toLowerCase().replace(/\.$/, ''), port: Number(port ?? defaultPort) }
}

async function tunnel(
  text: string,
  inner: Socket,
  head: Buffer,
  options: NetworkProxyOptions & { readonly resolve: Resolve },
  isAllowed: IsAllowed,
  open: Set<Duplex>,
): Promise<void> {
  inner.on('error', () => {})
  const refuse = (status: string, refused: string): void => {
    options.onRequest?.({ target: text, refused })
    inner.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n${refused}\n`)
  }
  const target = parseTarget(text)
  if (target === undefined || looksLikeAddress(target.name)) {
    return refuse('403 Forbidden', 'Only host names are allowed, not addresses.')
  }
  if (!isAllowed(target)) return refuse('403 Forbidden', `${text} is not allowed by this loop.`)
  const address = await findPublicAddress(target.name, options.resolve)
  if (address === undefined) return refuse('403 Forbidden', `${text} has no public address.`)
  if (inner.destroyed) return
  const outer = (options.connect ?? connectDirectly)(address, target.port)
  track(open, outer)
  const timer = setTimeout(() => outer.destroy(new Error('connecting timed out')), connectMs)
  outer.once('connect', () => {
    clearTimeout(timer)
    options.onRequest?.({ target: text })
    inner.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) outer.write(head)
    inner.pipe(outer).pipe(inner)
    outer.setTimeout(idleMs, () => outer.destroy())
    inner.setTimeout(idleMs, () => inner.destroy())
  })
  outer.once('error', () => {
    if (outer.connecting || outer.pending) refuse('502 Bad Gateway', `${text} is unreachable.`)
  })
  outer.once('close', () => {
    clearTimeout(timer)
    // Deliver what was received even if the sender has closed.
    inner.destroySoon()
  })
  inner.once('close', () => outer.destroySoon())
}

/** Includes forms that only a resolver accepts: `127.1`, `0x7f000001`, `2130706433`. */
const looksLikeAddress = (name: string): boolean =>
  isIP(name) !== 0 || /^(?:0x[0-9a-f]*|\d+)$/i.test(name.split('.').at(-1) ?? '')

/** The first address, if all are public: a name with an internal address is not trusted. */
async function findPublicAddress(name: string, resolve: Resolve): Promise<string | undefined> {
  try {
    const addresses = await resolve(name)
    return addresses.every(isPublicAddress) ? addresses[0] : undefined
  } catch {
    return undefined
  }
}

type Resolve = (name: string) => Promise<readonly string[]>

/** Name lookups block threads of Node's small thread pool, which file access needs too. */
function limitLookups(resolve: Resolve): Resolve {
  const inProgress = new Map<string, Promise<readonly string[]>>()
  const waiting: (() => void)[] = []
  let free = lookupsMax
  const acquire = async (): Promise<void> => {
    if (free > 0) free--
    else await new Promise<void>((start) => waiting.push(start))
  }
  const lookUp = async (name: string): Promise<readonly string[]> => {
    await acquire()
    try {
      return await resolve(name)
    } finally {
      inProgress.delete(name)
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
  return (name) => {
    const found = inProgress.get(name) ?? lookUp(name)
    inProgress.set(name, found)
    return found
  }
}

const resolveName: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address)

const connectDirectly = (address: string, port: number): Socket => connectTo(port, address)

function track(open: Set<Duplex>, stream: Duplex): void {
  open.add(stream)
  stream.on('error', () => {}).once('close', () => open.delete(stream))
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
}
