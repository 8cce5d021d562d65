/** Puts the guard before the routes, on every way in. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { type GuardOptions, guard, isLooking, isRefused, type Passed } from './guard.ts'
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

export interface Front {
  /** To be called before it listens; `options` are asked for with each request. */
  serve(server: Server, options: () => GuardOptions): void
  /** Ends what is answered to those whose token was replaced. */
  dropDead(tokens: Tokens): void
}

export function createFront(routes: ReturnType<typeof createRoutes>, log: Log): Front {
  const requests = createRequestLog(log)
  /** What is being answered, by the token that it was asked with. */
  const open = new Map<ServerResponse, string>()
  /** Only what passed the guard is in here. */
  const principals = new WeakMap<object, Principal>()
  const answer = getRequestListener(
    (request, env) => {
      const { incoming, outgoing } = env as HttpBindings
      const bindings: RequestBindings = { outgoing, principal: principals.get(incoming) }
      return routes.fetch(request, bindings)
    },
    { overrideGlobalObjects: false },
  )
  return {
    serve(server, options) {
      const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
        setHeaders(request, response)
        const passed = guard(request, options())
        if (isRefused(passed)) {
          // What is still on its way is not waited for.
          response.setHeader('connection', 'close')
          request.resume()
          requests.refused(request, passed)
          sendRefusal(response, passed)
          return
        }
        open.set(response, passed.token)
        principals.set(request, { type: 'token', scope: passed.scope })
        if (!isLooking(request)) requests.changing(request, response, passed.scope)
        response.on('close', () => open.delete(response))
        // Over the socket it may be anything, and means nothing.
        if (options().hosts === undefined) request.headers.host = 'localhost'
        answer(request, response).catch((error: unknown) => {
          log.error({ error }, 'an answer failed')
          response.destroy()
        })
      }
      server.on('request', onRequest)
      server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
        if (!isRefused(guard(request, options()))) response.writeContinue()
        onRequest(request, response)
      })
      const onUpgrade = (request: IncomingMessage, socket: Duplex): void => {
        const refusal = refuseUpgrade(guard(request, options()))
        requests.refused(request, refusal)
        socket.on('error', () => undefined)
        socket.end(rawRefusal(refusal), () => socket.destroy())
      }
      server.on('upgrade', onUpgrade)
      server.on('connect', onUpgrade)
      server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
        const isAnswering = [...open.keys()].some((response) => response.socket === socket)
        endBadClient(error, socket, isAnswering)
      })
    },
    dropDead(tokens) {
      if (open.size === 0) return
      const alive = tokens.alive()
      for (const [response, token] of open) if (!alive.has(token)) response.destroy()
    },
  }
}

function setHeaders(request: IncomingMessage, response: ServerResponse): void {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value)
  response.setHeader('x-request-id', requestIdOf(request.headers['x-request-id']))
}

const refuseUpgrade = (passed: Refusal | Passed): Refusal =>
  isRefused(passed)
    ? passed
    : refuse('bad-request', 'There is nothing to upgrade to: ask without Upgrade.', { status: 426 })

/** What is no HTTP, is too long, or comes too slowly. */
function endBadClient(error: NodeJS.ErrnoException, socket: Duplex, isAnswering: boolean): void {
  // In the middle of an answer there is no room for another.
  if (isAnswering || error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = statusOf(error.code)
  const refusal = refuse('bad-request', 'The request cannot be read; send it as HTTP/1.1.', {
    status,
  })
  socket.on('error', () => undefined)
  socket.end(rawRefusal(refusal), () => socket.destroy())
}

function statusOf(code: string | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}
