/**
 * One address for one step: a socket that a sandbox can be given, and a port on loopback, both closed to
 * whoever has not the token. When the session is closed nothing of it listens, runs or waits.
 */

import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { textOf } from '../loop/index.ts'
import { handleExchange } from './exchange.ts'
import { digestOf, guardRequest } from './guard.ts'
import type { GatewayLimits } from './limits.ts'
import { createPace } from './pace.ts'
import { type Provider, readProviders } from './provider.ts'
import { type Refusal, refusalBody, refusalHeaders } from './refusal.ts'
import { createReplayer } from './replay.ts'
import type { Route, WireFormat } from './route.ts'
import { createSecrets } from './secrets.ts'
import { sendRefusal } from './send-answer.ts'
import type { GatewayParts, SessionOptions, SessionParts } from './session-types.ts'
import { emptyTally, type SessionTotals } from './totals.ts'
import { createTurns, type TurnEnd } from './turn.ts'

/** An address and a token for the model calls of one step. */
export interface Session {
  /** The socket. Its folder holds nothing else and can be bound into a sandbox. */
  readonly socketPath: string
  /** `http://127.0.0.1:port`, without a path. */
  readonly url: string
  /** What clients send as their key. */
  readonly token: string
  readonly totals: SessionTotals
  readonly activity: SessionActivity
  /** Takes keys, the token and other secrets out of what the agent says. */
  maskText(text: string): string
  /** Ends what is under way and resolves when all of it is charged and on record. */
  close(): Promise<SessionTotals>
}

/** For those who watch over an agent. */
export interface SessionActivity {
  /** Exchanges. */
  readonly underWay: number
  /** When one began or ended; 0 before the first. */
  readonly lastAtMs: number
  /**
   * `final`: the model has ended its turn and called no tool, and all that it called before has come
   * back. An agent that is still there long afterwards has nothing left to do.
   */
  readonly lastAnswer: TurnEnd | undefined
}

export async function openSession(
  gateway: GatewayParts,
  options: SessionOptions,
  socketPath: string,
): Promise<Session> {
  const token = randomBytes(32).toString('base64url')
  const parts = toParts(gateway, options, token)
  const door = openDoor(parts, token)
  const stop = (): void => parts.stop.abort()
  options.signal.addEventListener('abort', stop, { once: true })
  if (options.signal.aborted) stop()
  const socket = serve(
    door.take(() => undefined),
    gateway.limits,
  )
  const loopback: Server = serve(
    door.take(() => portOf(loopback)),
    gateway.limits,
  )
  const servers = [socket, loopback]
  await Promise.all([listen(socket, socketPath), listen(loopback, undefined)])
  return {
    socketPath,
    url: `http://127.0.0.1:${portOf(loopback)}`,
    token,
    totals: parts.tally,
    activity: door.activity,
    maskText: (text) => parts.secrets.maskText(text),
    async close() {
      stop()
      options.signal.removeEventListener('abort', stop)
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      await door.ended()
      for (const server of servers) server.closeAllConnections()
      await Promise.all(closed)
      return { ...parts.tally }
    },
  }
}

interface Door {
  /** Takes requests that come to a port; to the socket where there is none. */
  take(port: () => number | undefined): (request: IncomingMessage, client: ServerResponse) => void
  readonly activity: SessionActivity
  /** Resolves when nothing is under way. */
  ended(): Promise<unknown>
}

function openDoor(parts: SessionParts, token: string): Door {
  const { clock, turns, stop } = parts
  const underWay = new Set<Promise<void>>()
  const digest = digestOf(token)
  let ordinal = 0
  let lastAtMs = 0
  return {
    take: (port) => (request, client) => {
      const { method, url, headers } = request
      const guarded = guardRequest({ method, url, headers, port: port() }, digest)
      const refusal = 'refusal' in guarded ? guarded.refusal : busy(parts, underWay.size)
      if ('refusal' in guarded || refusal !== undefined) {
        return turnAway(request, client, guarded.route?.format, refusal ?? stopping)
      }
      lastAtMs = clock.now()
      const controller = new AbortController()
      const abort = (): void => controller.abort()
      stop.signal.addEventListener('abort', abort, { once: true })
      client.once('close', () => client.writableFinished || abort())
      const { route } = guarded
      const { signal } = controller
      const work = handleExchange(parts, { route, ordinal: ++ordinal, request, client, signal })
        .catch((error: unknown) => failExchange(parts, client, route, error))
        .finally(() => {
          underWay.delete(work)
          lastAtMs = clock.now()
          stop.signal.removeEventListener('abort', abort)
        })
      underWay.add(work)
    },
    activity: {
      get underWay() {
        return underWay.size
      },
      get lastAtMs() {
        return lastAtMs
      },
      get lastAnswer() {
        return turns.last
      },
    },
    ended: () => Promise.all(underWay),
  }
}

function toParts(gateway: GatewayParts, options: SessionOptions, token: string): SessionParts {
  const own = readProviders(options.providers ?? {})
  const providers = new Map([...gateway.providers, ...own])
  const keyOf = (provider: string): string | undefined =>
    options.keys?.(provider) ??
    (isTrusted(own.get(provider), gateway.providers.get(provider))
      ? gateway.keys(provider)
      : undefined)
  const keys = [...providers.keys()].flatMap((name) => keyOf(name)?.trim() ?? [])
  const stop = new AbortController()
  // Every exchange under way listens to it.
  setMaxListeners(0, stop.signal)
  return {
    ...gateway,
    providers,
    keys: keyOf,
    options,
    secrets: createSecrets(keys, [token, ...(options.secrets ?? [])]),
    tally: emptyTally(),
    replayer: options.replay === undefined ? undefined : createReplayer(options.replay),
    turns: createTurns(),
    stop,
    factor: 1,
    pace: createPace(),
    uncharged: { bytes: 0 },
    written: Promise.resolve(),
  }
}

/**
 * The keys of the gateway go where its own table says, or to this machine. An address that comes with
 * a session may come from a file that somebody else wrote.
 */
function isTrusted(own: Provider | undefined, known: Provider | undefined): boolean {
  if (own === undefined || own.isLocal) return true
  return known !== undefined && new URL(own.baseUrl).origin === new URL(known.baseUrl).origin
}

const stopping: Refusal = {
  status: 503,
  kind: 'unavailable',
  message: 'The run is being stopped. Keep what you have done and end your work now.',
}

function busy({ stop, limits }: SessionParts, underWay: number): Refusal | undefined {
  if (stop.signal.aborted) return stopping
  if (underWay < limits.concurrentMax) return undefined
  const message = `There are ${underWay} requests under way. Ask again when some have ended.`
  return { status: 429, kind: 'rate-limited', message, retryAfterMs: 1000 }
}

/** Without a format it cannot be known which provider the client believes in. */
function turnAway(
  request: IncomingMessage,
  client: ServerResponse,
  format: WireFormat | undefined,
  refusal: Refusal,
): void {
  request.resume()
  client.writeHead(refusal.status, { ...refusalHeaders(refusal), connection: 'close' })
  client.end(refusalBody(format ?? 'chat', refusal))
}

/** A request that broke off, or a bug: it fails this exchange, and is not forgotten. */
function failExchange(
  { tally, secrets, stop }: SessionParts,
  client: ServerResponse,
  route: Route,
  error: unknown,
): void {
  const message = secrets.maskText(textOf(error)).slice(0, 300)
  if (!stop.signal.aborted) tally.trouble = { kind: 'failed', message }
  if (client.writableFinished) return
  if (client.headersSent) client.destroy()
  else sendRefusal({ route, client }, stop.signal.aborted ? stopping : { ...stopping, message })
}

const connectionsMax = 1024

function serve(
  take: (request: IncomingMessage, client: ServerResponse) => void,
  { requestMs }: GatewayLimits,
): Server {
  const server = createServer(
    {
      requestTimeout: requestMs,
      headersTimeout: Math.min(20_000, requestMs),
      connectionsCheckingInterval: Math.min(5000, requestMs),
      maxHeaderSize: 64 * 1024,
    },
    take,
  )
  server.maxConnections = connectionsMax
  // Upgrades and tunnels are nothing of ours.
  server.on('upgrade', (_request, socket) => socket.destroy())
  server.on('connect', (_request, socket) => socket.destroy())
  return server
}

function listen(server: Server, path: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    if (path === undefined) server.listen(0, '127.0.0.1', resolve)
    else server.listen(path, resolve)
  })
}

const portOf = (server: Server): number => (server.address() as AddressInfo | null)?.port ?? 0
