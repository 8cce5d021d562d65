/**
 * One address for one step: a socket that can be bound into a sandbox, and a loopback port. Both
 * require the token. After `close`, nothing of the session listens, runs or waits.
 */

import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { textOf } from '../loop/index.ts'
import { handleExchange } from './exchange.ts'
import { guardRequest, sha256 } from './guard-request.ts'
import type { GatewayLimits } from './limits.ts'
import { createPace } from './pace.ts'
import { type Provider, readProviders } from './provider.ts'
import { createReplayer } from './replay.ts'
import { createSecrets } from './secrets/secrets.ts'
import { sendRefusal } from './send-response.ts'
import type { GatewayParts, SessionOptions, SessionParts } from './session-types.ts'
import { emptyTally, type SessionTotals } from './totals.ts'
import { type Refusal, refusalBody, refusalHeaders } from './wire/refusal.ts'
import type { Route, WireFormat } from './wire/route.ts'
import { createTurns, type TurnEnd } from './wire/turn.ts'

/** An address and a token for the model calls of one step. */
export interface Session {
  /** Its folder contains nothing else and can be bound into a sandbox. */
  readonly socketPath: string
  /** `http://127.0.0.1:port`, without a path. */
  readonly url: string
  /** What clients send as their API key. */
  readonly token: string
  readonly totals: SessionTotals
  readonly activity: SessionActivity
  /** Masks keys, the token and other secrets in the agent's output. */
  maskText(text: string): string
  /** Stops everything in progress; resolves when all of it is charged and recorded. */
  close(): Promise<SessionTotals>
}

/** For watching an agent. */
export interface SessionActivity {
  /** Number of exchanges in progress. */
  readonly inProgress: number
  /** When an exchange last started or ended; 0 before the first. */
  readonly lastAtMs: number
  /**
   * `final`: the model ended its turn without calling a tool, and all earlier calls have returned.
   * An agent that keeps running long after that has nothing left to do.
   */
  readonly lastTurnEnd: TurnEnd | undefined
}

export async function openSession(
  gateway: GatewayParts,
  options: SessionOptions,
  socketPath: string,
): Promise<Session> {
  const token = randomBytes(32).toString('base64url')
  const parts = toParts(gateway, options, token)
  const requests = createRequestHandler(parts, token)
  const stop = (): void => parts.stop.abort()
  options.signal.addEventListener('abort', stop, { once: true })
  if (options.signal.aborted) stop()
  const socket = serve(
    requests.take(() => undefined),
    gateway.limits,
  )
  const loopback: Server = serve(
    requests.take(() => readPort(loopback)),
    gateway.limits,
  )
  const servers = [socket, loopback]
  await Promise.all([listen(socket, socketPath), listen(loopback, undefined)])
  return {
    socketPath,
    url: `http://127.0.0.1:${readPort(loopback)}`,
    token,
    totals: parts.tally,
    activity: requests.activity,
    maskText: (text) => parts.secrets.maskText(text),
    async close() {
      stop()
      options.signal.removeEventListener('abort', stop)
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      await requests.idle()
      for (const server of servers) server.closeAllConnections()
      await Promise.all(closed)
      return { ...parts.tally }
    },
  }
}

interface RequestHandler {
  /** Handles requests to a port, or to the socket if there is none. */
  take(port: () => number | undefined): (request: IncomingMessage, client: ServerResponse) => void
  readonly activity: SessionActivity
  /** Resolves when nothing is in progress. */
  idle(): Promise<unknown>
}

function createRequestHandler(parts: SessionParts, token: string): RequestHandler {
  const { clock, turns, stop } = parts
  const inProgress = new Set<Promise<void>>()
  const digest = sha256(token)
  let ordinal = 0
  let lastAtMs = 0
  return {
    take: (port) => (request, client) => {
      const { method, url, headers } = request
      const guarded = guardRequest({ method, url, headers, port: port() }, digest)
      const refusal = 'refusal' in guarded ? guarded.refusal : checkLoad(parts, inProgress.size)
      if ('refusal' in guarded || refusal !== undefined) {
        return refuse(request, client, guarded.route?.format, refusal ?? stopping)
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
          inProgress.delete(work)
          lastAtMs = clock.now()
          stop.signal.removeEventListener('abort', abort)
        })
      inProgress.add(work)
    },
    activity: {
      get inProgress() {
        return inProgress.size
      },
      get lastAtMs() {
        return lastAtMs
      },
      get lastTurnEnd() {
        return turns.last
      },
    },
    idle: () => Promise.all(inProgress),
  }
}

function toParts(gateway: GatewayParts, options: SessionOptions, token: string): SessionParts {
  const own = readProviders(options.providers ?? {})
  const providers = new Map([...gateway.providers, ...own])
  const lookUpKey = (provider: string): string | undefined =>
    options.keys?.(provider) ??
    (isTrusted(own.get(provider), gateway.providers.get(provider))
      ? gateway.keys(provider)
      : undefined)
  const keys = [...providers.keys()].flatMap((name) => lookUpKey(name)?.trim() ?? [])
  const stop = new AbortController()
  // Every exchange in progress listens to it.
  setMaxListeners(0, stop.signal)
  return {
    ...gateway,
    providers,
    keys: lookUpKey,
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
 * The gateway's keys are sent only to the addresses in its own table and to this machine. A
 * session's address may come from a file that someone else wrote.
 */
function isTrusted(own: Provider | undefined, known: Provider | undefined): boolean {
  if (own === undefined || own.isLocal) return true
  return known !== undefined && new URL(own.baseUrl).origin === new URL(known.baseUrl).origin
}

const stopping: Refusal = {
  status: 503,
  kind: 'unavailable',
  message: 'The run is being stopped. Save your work and finish now.',
}

function checkLoad({ stop, limits }: SessionParts, inProgress: number): Refusal | undefined {
  if (stop.signal.aborted) return stopping
  if (inProgress < limits.concurrentMax) return undefined
  const message = `${inProgress} requests are in progress. Retry when some have ended.`
  return { status: 429, kind: 'rate-limited', message, retryAfterMs: 1000 }
}

/** Without a format, the client's provider is unknown. */
function refuse(
  request: IncomingMessage,
  client: ServerResponse,
  format: WireFormat | undefined,
  refusal: Refusal,
): void {
  request.resume()
  client.writeHead(refusal.status, { ...refusalHeaders(refusal), connection: 'close' })
  client.end(refusalBody(format ?? 'chat', refusal))
}

/** The request broke off, or there is a bug: this exchange fails, and the error is recorded. */
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
  // Upgrades and tunnels are not supported.
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

const readPort = (server: Server): number => (server.address() as AddressInfo | null)?.port ?? 0
