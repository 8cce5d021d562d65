/** The operator's npm registries, as routes of the endpoint and as settings for managers in the sandbox. */

import { type ToEndpointUrl, tryParse } from './lockfile-reading.ts'
import { type NpmRegistry, type NpmSettings, publicRegistry } from './npm-settings.ts'
import {
  type Link,
  type RegistryResponse,
  type RegistryRoute,
  registryUrl,
} from './registry-endpoint.ts'
import { splitAddress } from './split-address.ts'

/** Lockfiles contain these URLs, whichever mirror was used. */
const publicUrls = [publicRegistry, 'https://registry.yarnpkg.com/', 'http://registry.npmjs.org/']

const toPrefix = (index: number): string => `npm/${index}`

export const npmRoutes = ({ registries }: NpmSettings): readonly RegistryRoute[] =>
  registries.map(({ url, headers }, index) => ({
    prefix: toPrefix(index),
    upstream: url,
    headers,
    rewrite: rewriteMetadata,
    // Endpoints for tokens, users and searches.
    isRefused: (path) => path.startsWith('-/'),
  }))

/** Replaces the archive URLs in the metadata of a package. */
function rewriteMetadata({ contentType, body }: RegistryResponse, link: Link): string | undefined {
  if (!contentType.includes('json')) return undefined
  const document = parseObject(body)
  const versions = Object.values((document?.['versions'] ?? {}) as Record<string, Version>)
  const single = document?.['dist'] === undefined ? [] : [document as Version]
  for (const { dist } of [...versions, ...single]) {
    if (typeof dist?.tarball === 'string') dist.tarball = link(dist.tarball)
  }
  return document === undefined ? undefined : JSON.stringify(document)
}

interface Version {
  readonly dist?: { tarball?: unknown }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  const value = tryParse(JSON.parse, text)
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)
    : undefined
}

export function createNpmUrlMapper({ registries }: NpmSettings): ToEndpointUrl {
  return (url) => {
    // Longest first: one registry may be below another.
    const index = registries
      .map((one, at) => ({ at, length: url.startsWith(one.url) ? one.url.length : 0 }))
      .toSorted((a, b) => b.length - a.length)[0]
    if (index !== undefined && index.length > 0) {
      return `${registryUrl}${toPrefix(index.at)}/${url.slice(index.length)}`
    }
    const known = publicUrls.find((one) => url.startsWith(one))
    return known === undefined
      ? undefined
      : `${registryUrl}${toPrefix(0)}/${url.slice(known.length)}`
  }
}

/** Settings of the layout; none of them names a program, a file or a registry. */
const layoutKeys = new Set([
  'legacy-peer-deps',
  'strict-peer-deps',
  'install-strategy',
  'legacy-bundling',
  'global-style',
  'hoist',
  'hoist-pattern[]',
  'public-hoist-pattern[]',
  'shamefully-hoist',
  'node-linker',
  'auto-install-peers',
  'strict-peer-dependencies',
  'dedupe-peer-dependents',
  'resolution-mode',
  'link-workspace-packages',
  'prefer-workspace-packages',
  'shared-workspace-lockfile',
  'engine-strict',
])

/** Creates the `.npmrc` for the sandbox: the endpoint's registries and the project's layout settings. */
export function createNpmrc(
  { registries }: NpmSettings,
  project: ReadonlyMap<string, string>,
): string {
  const lines = registries.map(({ scope }, index) => {
    const key = scope === undefined ? 'registry' : `${scope}:registry`
    return `${key}=${registryUrl}${toPrefix(index)}/`
  })
  const layout = [...project]
    .filter(([key, value]) => layoutKeys.has(key) && /^[\w.*@/!-]*$/.test(value))
    .map(([key, value]) => `${key}=${value}`)
  return `${[...lines, ...layout].join('\n')}\n`
}

export interface UnknownRegistry {
  readonly key: string
  readonly url: string
}

/** Lists registries that only the project names: packages would come from unknown sources. */
export function listUnknownRegistries(
  { registries }: NpmSettings,
  project: ReadonlyMap<string, string>,
): readonly UnknownRegistry[] {
  const isKnown = (url: string, scope: string | undefined): boolean => {
    const normalized = URL.canParse(url) ? splitAddress(url).upstream : url
    if (scope === undefined && publicUrls.includes(normalized)) return true
    return registries.some((one: NpmRegistry) => one.url === normalized && one.scope === scope)
  }
  return [...project].flatMap(([key, url]): UnknownRegistry[] => {
    const [, , scope] = /^((@[^:]+):)?registry$/.exec(key) ?? []
    if (key !== 'registry' && scope === undefined) return []
    return isKnown(url, scope) ? [] : [{ key, url }]
  })
}
