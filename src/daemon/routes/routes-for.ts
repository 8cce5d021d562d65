/** Routes for a list of operations. Unknown paths get 404, other methods 405. */

import { createHash, randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { defined, LoopError } from '../../loop/index.ts'
import type { DaemonParts } from '../parts.ts'
import { type RequestBindings, requirePrincipal } from '../principal.ts'
import { findFeed } from '../streams/feed.ts'
import type { Operation, Reply } from './operation.ts'
import { problemType, type RequestInfo, toProblem } from './problem-answer.ts'
import { readRequest } from './read-request.ts'

export type Routes = Hono<{ Bindings: RequestBindings }>

export function routesFor(parts: DaemonParts, operations: readonly Operation[]): Routes {
  const app: Routes = new Hono()
  parts.closing.addEventListener('abort', () => findFeed(parts.host).end(), { once: true })
  const paths = new Map<string, Operation[]>()
  app.use(async (context, next) => {
    requirePrincipal(context.req.method, context.req.path, context.env?.principal)
    await next()
  })
  for (const one of operations) {
    paths.set(one.path, [...(paths.get(one.path) ?? []), one])
    app.on(one.method.toUpperCase(), routePath(one.path), (context) => answer(parts, one, context))
  }
  for (const [path, there] of paths) {
    app.all(routePath(path), (context) => refuse(parts, wrongMethod(there), context, path))
  }
  app.all('*', (context) => refuse(parts, unknownPath(), context, '*'))
  app.onError((error, context) => refuse(parts, error, context, '*'))
  return app
}

/** Only the path of an artifact may contain slashes. */
const routePath = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'path' ? ':path{.+}' : `:${name}`))

async function answer(parts: DaemonParts, asked: Operation, context: Context): Promise<Response> {
  try {
    const reply = await asked.handle(parts, await readRequest(asked, context))
    return toResponse(asked, reply, context.req.raw)
  } catch (error) {
    return refuse(parts, error, context, asked.path)
  }
}

function toResponse(
  { method, isLive }: Operation,
  reply: Reply,
  { headers: given }: Request,
): Response {
  if (reply instanceof Response) return reply
  const { status, value, headers } = reply
  const body = JSON.stringify(value)
  const sent = new Headers({ 'content-type': 'application/json', ...headers })
  if (method === 'get' && status === 200 && isLive !== true) {
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    sent.set('etag', tag)
    if (hasTag(given.get('if-none-match'), tag)) {
      sent.delete('content-type')
      return new Response(null, { status: 304, headers: sent })
    }
  }
  return new Response(body, { status, headers: sent })
}

const hasTag = (given: string | null, tag: string): boolean =>
  given !== null &&
  given
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => one === tag || one === '*')

async function refuse(
  parts: DaemonParts,
  error: unknown,
  context: Context,
  path: string,
): Promise<Response> {
  const { method } = context.req
  const run = context.req.param('run')
  ;(context.env as RequestBindings | undefined)?.onError?.(error)
  const at: RequestInfo = {
    requestId: requestIdOf(context),
    method,
    path,
    ...defined({ run }),
  }
  const problem = await toProblem(parts, error, at)
  const headers = new Headers({ 'content-type': problemType })
  if (error instanceof MethodError) headers.set('allow', error.allow)
  if (problem.code === 'store-failed') headers.set('retry-after', '5')
  return new Response(JSON.stringify(problem), { status: problem.status, headers })
}

class MethodError extends LoopError {
  readonly allow: string
  constructor(allow: string) {
    super('wrong-method', `Use one of: ${allow}. See: GET /openapi.json`)
    this.allow = allow
  }
}

function wrongMethod(there: readonly Operation[]): MethodError {
  const names = there.map(({ method }) => method.toUpperCase())
  return new MethodError([...names, ...(names.includes('GET') ? ['HEAD'] : [])].join(', '))
}

const unknownPath = (): LoopError =>
  new LoopError('unknown-path', 'There is no such path. See: GET /openapi.json')

/** The guard has already set it on the response. */
function requestIdOf(context: Context): string {
  const { outgoing } = (context.env ?? {}) as RequestBindings
  const known = outgoing?.getHeader('x-request-id')
  return typeof known === 'string' ? known : randomUUID()
}
