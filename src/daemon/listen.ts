/**
 * The listeners: a TCP address, and a Unix socket that only its owner can use. Both are behind the guard,
 * with limits on connections, request size and duration.
 */

import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { LoopError } from '../loop/index.ts'
import type { DaemonFiles } from '../system/daemon-files.ts'
import { makePrivateFolder } from '../workspace/index.ts'
import type { DaemonSettings, Log } from './parts.ts'

export interface Listeners {
  /** Such as `http://127.0.0.1:7700`. */
  readonly address: string
  readonly port: number
  /** May change after `repair`. */
  readonly socket: string
  /** Opens the socket again if its file was removed; returns whether it was. */
  repair(): Promise<boolean>
  /** Accepts no more connections; open ones get a little time to finish, except in a hurry. */
  close(hurry: AbortSignal): Promise<void>
}

/** In milliseconds, bytes and connections. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 15_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16_384,
  /** The guard reports what is wrong with the Host. */
  requireHostHeader: false,
}
const connectionsMax = 1024
/** How long open requests may take during shutdown. */
const closeGraceMs = 2000
/** Longer paths do not fit into the address of a socket. */
const socketPathBytesMax = 100

export type Via = 'address' | 'socket'

export interface ListenOptions {
  readonly settings: DaemonSettings
  readonly place: DaemonFiles
  readonly log: Log
  /** Attaches the handlers, before the server listens. */
  serve(server: Server, via: Via): void
}

export async function openListeners(options: ListenOptions): Promise<Listeners> {
  const { settings, place, log, serve } = options
  const outer = limited(createOuter(settings))
  serve(outer, 'address')
  await listenOn(outer, settings, log)
  /** Servers whose socket file is gone still have open connections. */
  const inner: Server[] = []
  const openInner = async (): Promise<SocketFile> => {
    const server = limited(createServer(limits))
    serve(server, 'socket')
    const opened = await openSocket(server, place, log)
    inner.push(server)
    return opened
  }
  let socket = await openInner().catch(async (error: unknown) => {
    outer.close()
    throw error
  })
  const { port } = outer.address() as AddressInfo
  return {
    address: addressOf(settings, port),
    port,
    get socket() {
      return socket.path
    },
    async repair() {
      if (existsSync(socket.path)) return false
      await socket.remove()
      socket = await openInner()
      return true
    },
    async close(hurry) {
      await Promise.all([outer, ...inner].map((server) => closeServer(server, hurry)))
      await socket.remove()
    },
  }
}

function createOuter({ tls }: DaemonSettings): Server {
  if (tls === undefined) return createServer(limits)
  try {
    const files = { cert: readFileSync(tls.cert), key: readFileSync(tls.key) }
    return createTlsServer({ ...limits, ...files, minVersion: 'TLSv1.2', handshakeTimeout: 10_000 })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `Cannot use the TLS certificate or its key: ${reason}.`
    const advice = 'Pass both files in PEM with --tls-cert and --tls-key.'
    throw new LoopError('bad-request', `${message} ${advice}`, { cause })
  }
}

function limited(server: Server): Server {
  server.maxConnections = connectionsMax
  server.maxRequestsPerSocket = 0
  // The guard sees all of them: their size is limited, and Node would drop those after the 2000th.
  server.maxHeadersCount = 0
  return server
}

async function listenOn(server: Server, settings: DaemonSettings, log: Log): Promise<void> {
  const { hostname, port, orAnyPort } = settings
  const host = hostname === 'localhost' ? '127.0.0.1' : hostname
  try {
    await listening(server, { host, port }, log)
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE' || port === 0) throw notListening(settings, error)
    if (orAnyPort !== true) {
      const message = `Port ${port} of ${hostname} is used by another program.`
      const advice = 'Stop that program, or pass another port with --port (0: any free port).'
      throw new LoopError('not-available', `${message} ${advice}`, { cause: error })
    }
    log.warn({ port }, 'the port is used by another program; using another')
    await listening(server, { host, port: 0 }, log)
  }
}

function notListening({ hostname, port }: DaemonSettings, cause: unknown): LoopError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `Cannot listen on ${hostname}:${port}: ${reason}.`
  return new LoopError('not-available', `${message} Pass others with --host and --port.`, { cause })
}

type Where = { readonly host: string; readonly port: number } | { readonly path: string }

/** Until it listens, errors go only to the caller, which may try another address. */
function listening(server: Server, where: Where, log: Log): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      server.on('error', (error) => log.error({ error }, 'no more connections can be accepted'))
      resolve()
    })
  })
}

interface SocketFile {
  readonly path: string
  remove(): Promise<void>
}

/** A socket file that exists is left over, since only the daemon with the lock may create it. */
async function openSocket(server: Server, place: DaemonFiles, log: Log): Promise<SocketFile> {
  const isShort = Buffer.byteLength(place.socket) <= socketPathBytesMax
  const folder = isShort ? undefined : await makePrivateFolder()
  const path = folder === undefined ? place.socket : `${folder.path}/loopd.sock`
  rmSync(path, { force: true })
  await listening(server, { path }, log)
  chmodSync(path, 0o600)
  return {
    path,
    async remove() {
      rmSync(path, { force: true })
      await folder?.remove()
    },
  }
}

function closeServer(server: Server, hurry: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cut = (): void => server.closeAllConnections()
    const timer = setTimeout(cut, closeGraceMs)
    hurry.addEventListener('abort', cut)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
    if (hurry.aborted) cut()
  })
}

function addressOf({ hostname, tls }: DaemonSettings, port: number): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return `${tls === undefined ? 'http' : 'https'}://${host}:${port}`
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''
