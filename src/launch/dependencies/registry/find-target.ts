/** Maps a request from the sandbox to a URL of a registry, or refuses it. */

import type { IncomingMessage } from 'node:http'
import type { RegistryRoute } from './registry-endpoint.ts'

export interface Target {
  readonly url: URL
  readonly path: string
  /** Undefined: a URL that a registry linked to. */
  readonly route: RegistryRoute | undefined
}

/** Returns text if the request is refused: the reason. */
export function findTarget(
  { method, url = '' }: IncomingMessage,
  routes: readonly RegistryRoute[],
  links: ReadonlyMap<string, string>,
): Target | string {
  if (method !== 'GET' && method !== 'HEAD') return 'Only GET and HEAD are allowed.'
  const [, id, name = ''] = /^\/link\/([0-9a-f]{32})\/([^/]*)$/.exec(url) ?? []
  const linked = id === undefined ? undefined : links.get(id)
  if (linked !== undefined) {
    // The metadata of a wheel is a file next to it.
    const isMetadata = name.endsWith('.metadata') && !linked.endsWith('.metadata')
    return { url: new URL(isMetadata ? `${linked}.metadata` : linked), path: url, route: undefined }
  }
  const route = routes.find(({ prefix }) => url.startsWith(`/${prefix}/`))
  if (route === undefined) return "This URL does not belong to one of the operator's registries."
  const path = url.slice(route.prefix.length + 2)
  const decoded = decodePath(path)
  if (decoded === undefined || !URL.canParse(path, route.upstream))
    return 'This path is not valid for a registry.'
  const target = new URL(path, route.upstream)
  if (!target.href.startsWith(route.upstream)) return 'This path is not valid for a registry.'
  if (route.isRefused?.(decoded) === true) return 'Only packages can be read.'
  return { url: target, path, route }
}

/** Servers differ in what and how often they decode, so a path that escapes in any decoding is refused. */
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

/** Prefers the longest URL: one registry may be below another. */
export function findRoute(
  url: string,
  routes: readonly RegistryRoute[],
): RegistryRoute | undefined {
  return routes
    .filter(({ upstream }) => url.startsWith(upstream))
    .toSorted((one, two) => two.upstream.length - one.upstream.length)[0]
}
