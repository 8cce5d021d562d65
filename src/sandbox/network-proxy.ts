/**
 * A way to a few named hosts, for package installs: an HTTP proxy on a Unix socket that knows CONNECT
 * and nothing else. A sandbox reaches it through its relay.
 *
 * 1. Only names and ports of the list. No addresses: a name is what the list was judged by.
 * 2. The name is resolved here, every address must be public, and that address is connected to: a name
 *    that resolves to something inside, now or a moment later, leads nowhere.
 * 3. Everything is bounded: connections, the time to connect, silence.
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
  /** Told of each request and what became of it. */
  readonly onRequest?: (request: { readonly target: string; readonly refused?: string }) => void
  /** All addresses of a name. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
  readonly connect?: (address: string, port: number) => Socket
  /** For the socket; short, since its path is. Without it a new one. */
  readonly folder?: string
}

export interface NetworkProxy {
  /** For `network` of a place. */
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
  // Under a short path: the system allows 107 bytes for that of a socket.
  const folder = options.folder ?? (await makeTemporaryFolder('loopwright-net-'))
  const remove = async (): Promise<void> => {
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
  }
  const socket = join(folder, 'proxy.sock')
  const open = new Set<Duplex>()
  const lookUp = fewAtATime(options.resolve ?? resolveName)
  const server = createServer({ maxHeaderSize: headerBytesMax, requestTimeout: connectMs })
  server.maxConnections = connectionsMax
  server.on('request', (_request, response) => {
    response.writeHead(405, { connection: 'close' }).end('Only CONNECT is known here.\n')
  })
  server.on('connection', (connection) => track(open, connection))
  server.on('connect', (request: IncomingMessage, inner: Duplex, head: Buffer) => {
    // On a socket of ours it is one.
    void tunnel(
      request.url ?? '',
      inner as Socket,
      head,
      { ...options, resolve: lookUp },
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
        `"${entry}" is no host to allow. Write it like ${example}.`,
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

/** Names of the internet only: no spaces, no brackets, no user before an @. */
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
    return refuse('403 Forbidden', 'Only names of hosts can be asked for.')
  }
  if (!isAllowed(target)) return refuse('403 Forbidden', `${text} is not on the list of this loop.`)
  const address = await publicAddress(target.name, options.resolve)
  if (address === undefined) return refuse('403 Forbidden', `${text} has no public address.`)
  if (inner.destroyed) return
  const outer = (options.connect ?? connectDirectly)(address, target.port)
  track(open, outer)
  const timer = setTimeout(() => outer.destroy(new Error('it took too long')), connectMs)
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
    if (outer.connecting || outer.pending) refuse('502 Bad Gateway', `${text} cannot be reached.`)
  })
  outer.once('close', () => {
    clearTimeout(timer)
    // What was received is still delivered after the end of the one that sent it.
    inner.destroySoon()
  })
  inner.once('close', () => outer.destroySoon())
}

/** Also forms that only a resolver takes for one: `127.1`, `0x7f000001`, `2130706433`. */
const looksLikeAddress = (name: string): boolean =>
  isIP(name) !== 0 || /^(?:0x[0-9a-f]*|\d+)$/i.test(name.split('.').at(-1) ?? '')

/** The first, if all of them are public: one that is not would be the next. */
async function publicAddress(name: string, resolve: Resolve): Promise<string | undefined> {
  try {
    const addresses = await resolve(name)
    return addresses.every(isPublicAddress) ? addresses[0] : undefined
  } catch {
    return undefined
  }
}

type Resolve = (name: string) => Promise<readonly string[]>

/** The threads that names are looked up in are few, and our own files need them too. */
function fewAtATime(resolve: Resolve): Resolve {
  const underWay = new Map<string, Promise<readonly string[]>>()
  const waiting: (() => void)[] = []
  let free = lookupsMax
  const turn = async (): Promise<void> => {
    if (free > 0) free--
    else await new Promise<void>((go) => waiting.push(go))
  }
  const look = async (name: string): Promise<readonly string[]> => {
    await turn()
    try {
      return await resolve(name)
    } finally {
      underWay.delete(name)
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
  return (name) => {
    const found = underWay.get(name) ?? look(name)
    underWay.set(name, found)
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
