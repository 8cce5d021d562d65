/** Puts the guard before the routes, on every listener. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { defined } from '../loop/index.ts'
import { answerPage, type PageAnswers } from './dashboard/answer-page.ts'
import { guardPage } from './dashboard/guard-page.ts'
import {
  type GuardOptions,
  guard,
  hookToken,
  isReadRequest,
  isRefused,
  type Passed,
} from './guard.ts'
import type { Log } from './parts.ts'
import type { Principal, RequestBindings } from './principal.ts'
import {
  type Refusal,
  rawRefusal,
  refuse,
  requestIdOf,
  securityHeaders,
  sendRefusal,
} from './refusal.ts'
import { createRequestLog } from './request-log.ts'
import type { createRoutes } from './routes/index.ts'
import type { Tokens } from './tokens.ts'

export interface GuardedRoutes {
  /** Call it before the server listens; `options` is called for each request. */
  serve(server: Server, options: () => GuardOptions): void
  /** Closes connections whose token was replaced. */
  closeRevokedConnections(tokens: Tokens): void
}

export interface GuardRoutesOptions extends Pick<PageAnswers, 'files' | 'dashboard'> {
  readonly routes: ReturnType<typeof createRoutes>
  readonly log: Log
}

export function guardRoutes({ routes, log, files, dashboard }: GuardRoutesOptions): GuardedRoutes {
  const requests = createRequestLog(log)
  /** Open responses, with the token of their request. */
  const open = new Map<ServerResponse, string>()
  /** Only requests that passed the guard. */
  const principals = new WeakMap<object, Principal>()
  const answer = getRequestListener(
    (request, env) => {
      const { incoming, outgoing } = env as HttpBindings
      const bindings: RequestBindings = { outgoing, principal: principals.get(incoming) }
      return routes.fetch(request, bindings)
    },
    { overrideGlobalObjects: false },
  )
  const onRefused = requests.refused
  return {
    serve(server, options) {
      const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
        setHeaders(request, response)
        const page = guardPage(request, options())
        if (page !== undefined && !('status' in page)) {
          answerPage(request, response, page, { files, dashboard, onRefused }).catch(
            whenFailed(log, response),
          )
          return
        }
        const passed = page ?? guard(request, options())
        if (isRefused(passed)) {
          // Do not wait for the rest of the request.
          response.setHeader('connection', 'close')
          request.resume()
          onRefused(request, passed)
          sendRefusal(response, passed)
          return
        }
        const { scope, name, token } = passed
        open.set(response, token)
        principals.set(request, { type: 'token', scope, token, ...defined({ name }) })
        // Without a token, requests could fill the log.
        if (!isReadRequest(request) && scope !== 'hook') requests.changing(request, response, scope)
        response.on('close', () => open.delete(response))
        // Over the Unix socket the Host is arbitrary and ignored.
        if (options().hosts === undefined) request.headers.host = 'localhost'
        answer(request, response).catch(whenFailed(log, response))
      }
      server.on('request', onRequest)
      server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
        if (!isRefused(guard(request, options()))) response.writeContinue()
        onRequest(request, response)
      })
      const onUpgrade = (request: IncomingMessage, socket: Duplex): void => {
        const refusal = refuseUpgrade(guard(request, options()))
        requests.refused(request, refusal)
        endRaw(socket, refusal)
      }
      server.on('upgrade', onUpgrade)
      server.on('connect', onUpgrade)
      server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
        const isAnswering = [...open.keys()].some((response) => response.socket === socket)
        endBadClient(error, socket, isAnswering)
      })
    },
    closeRevokedConnections(tokens) {
      if (open.size === 0) return
      const alive = tokens.alive()
      for (const [response, token] of open) {
        if (token !== hookToken && !alive.has(token)) response.destroy()
      }
    },
  }
}

const whenFailed =
  (log: Log, response: ServerResponse) =>
  (error: unknown): void => {
    log.error({ error }, 'a response failed')
    response.destroy()
  }

function setHeaders(request: IncomingMessage, response: ServerResponse): void {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value)
  response.setHeader('x-request-id', requestIdOf(request.headers['x-request-id']))
}

const refuseUpgrade = (passed: Refusal | Passed): Refusal =>
  isRefused(passed)
    ? passed
    : refuse(
        'bad-request',
        'Upgrade is not supported. Send the request without the header Upgrade.',
        { status: 426 },
      )

function endRaw(socket: Duplex, refusal: Refusal): void {
  socket.on('error', () => undefined)
  socket.end(rawRefusal(refusal), () => socket.destroy())
}

/** A request that is not HTTP, too long or too slow. */
function endBadClient(error: NodeJS.ErrnoException, socket: Duplex, isAnswering: boolean): void {
  // A second response cannot be written into one that has started.
  if (isAnswering || error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = statusOf(error.code)
  const refusal = refuse('bad-request', 'The request cannot be read; send it as HTTP/1.1.', {
    status,
  })
  endRaw(socket, refusal)
}

function statusOf(code: string | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}
