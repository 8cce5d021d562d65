/** Every route of the daemon, from its router; the OpenAPI document must name the same. */

import type { DaemonProcess } from './daemon-process.ts'

export interface Route {
  readonly method: string
  /** Such as `/runs/{run}`. */
  readonly path: string
  /** A body that it would take. */
  readonly body: string
}

export interface Routes {
  readonly routes: readonly Route[]
  /** Where router and document differ. */
  readonly problems: readonly string[]
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
}

interface OpenApiOperation {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>
  }
}

export const isLooking = ({ method }: Pick<Route, 'method'>): boolean => method === 'GET'

type RoutesFile = typeof import('../src/daemon/routes/index.ts')

export async function findRoutes({ address, token }: DaemonProcess): Promise<Routes> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${address}/openapi.json`, { headers })
  const document = (await response.json()) as OpenApi
  const routed = await fromRouter()
  const documented = fromDocument(document)
  return {
    routes: documented,
    problems: [
      ...missing(routed, documented.map(nameOf), 'has no place in the OpenAPI document'),
      ...missing(documented.map(nameOf), routed, 'is no route'),
    ],
  }
}

/** Nothing is asked of it, so most of what it is made of is not needed. */
async function fromRouter(): Promise<readonly string[]> {
  const at = new URL('../../dist/daemon/routes/index.js', import.meta.url).href
  const { createRoutes } = (await import(at)) as RoutesFile
  const parts = { host: {}, closing: new AbortController().signal }
  const app = createRoutes(parts as unknown as Parameters<typeof createRoutes>[0])
  return app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`)
}

const fromDocument = ({ paths }: OpenApi): readonly Route[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => /^(get|put|post|delete|options|head|patch|trace)$/.test(method))
      .map(([method, { requestBody }]) => {
        const example = requestBody?.content['application/json']?.example
        return { method: method.toUpperCase(), path, body: JSON.stringify(example ?? {}) }
      }),
  )

const nameOf = ({ method, path }: Route): string => `${method} ${path}`

const missing = (
  names: readonly string[],
  there: readonly string[],
  what: string,
): readonly string[] =>
  names.filter((name) => !there.includes(name)).map((name) => `${name} ${what}`)
