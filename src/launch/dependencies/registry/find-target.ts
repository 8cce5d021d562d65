/** What a request from inside asks for, and why not. */

import type { IncomingMessage } from 'node:http'
import type { RegistryRoute } from './registry-endpoint.ts'

export interface Target {
  readonly url: URL
  readonly path: string
  /** Undefined: something that a registry has linked to. */
  readonly route: RegistryRoute | undefined
}

/** Text: why not. */
export function findTarget(
  { method, url = '' }: IncomingMessage,
  routes: readonly RegistryRoute[],
  links: ReadonlyMap<string, string>,
): Target | string {
  if (method !== 'GET' && method !== 'HEAD') return 'Only GET and HEAD are allowed.'
  const [, id, name = ''] = /^\/link\/([0-9a-f]{32})\/([^/]*)$/.exec(url) ?? []
  const linked = id === undefined ? undefined : links.get(id)
  if (linked !== undefined) {
    // The metadata of a wheel lies beside it.
    const isMetadata = name.endsWith('.metadata') && !linked.endsWith('.metadata')
    return { url: new URL(isMetadata ? `${linked}.metadata` : linked), path: url, route: undefined }
  }
  const route = routes.find(({ prefix }) => url.startsWith(`/${prefix}/`))
  if (route === undefined) return "This address is not one of the operator's registries."
  const path = url.slice(route.prefix.length + 2)
  const decoded = decodePath(path)
  if (decoded === undefined || !URL.canParse(path, route.upstream))
    return 'This is not a path of a registry.'
  const target = new URL(path, route.upstream)
  if (!target.href.startsWith(route.upstream)) return 'This is not a path of a registry.'
  if (route.isRefused?.(decoded) === true) return 'Only packages can be read.'
  return { url: target, path, route }
}

/** Servers differ in what they decode, and how often: a path that leaves its folder in any reading is none. */
function decodePath(path: string): string | undefined {
  if (!/^[\x21-\x7e]*$/.test(path)) return undefined
  let [text = ''] = path.split('?')
  for (let times = 0; times < 3; times++) {
    if (text.split(/[/\\]/).some((part) => part === '.' || part === '..')) return undefined
    try {
      text = decodeURIComponent(text)
    } catch {
      return undefined
    }
  }
  return text
}

/** The one whose address is the longest: a registry may be a folder of another. */
export function routeFor(url: string, routes: readonly RegistryRoute[]): RegistryRoute | undefined {
  return routes
    .filter(({ upstream }) => url.startsWith(upstream))
    .toSorted((one, two) => two.upstream.length - one.upstream.length)[0]
}
