/** The operator's npm registries, as routes of the endpoint and as settings for what runs inside. */

import { type ToOurs, tryParse } from './lockfile-reading.ts'
import { type NpmRegistry, type NpmSettings, publicRegistry } from './npm-settings.ts'
import { type Answer, type Link, type RegistryRoute, registryUrl } from './registry-endpoint.ts'
import { splitAddress } from './split-address.ts'

/** Lockfiles name these, whichever mirror they were made with. */
const publicAddresses = [
  publicRegistry,
  'https://registry.yarnpkg.com/',
  'http://registry.npmjs.org/',
]

const prefixOf = (index: number): string => `npm/${index}`

export const npmRoutes = ({ registries }: NpmSettings): readonly RegistryRoute[] =>
  registries.map(({ url, headers }, index) => ({
    prefix: prefixOf(index),
    upstream: url,
    headers,
    rewrite: rewriteMetadata,
    // Whose token it is, which tokens there are, what can be searched for.
    isRefused: (path) => path.startsWith('-/'),
  }))

/** Of a package's metadata: where its archives are. */
function rewriteMetadata({ contentType, body }: Answer, link: Link): string | undefined {
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

export function npmAddresses({ registries }: NpmSettings): ToOurs {
  return (url) => {
    // The longest first: one registry may be a folder of another.
    const index = registries
      .map((one, at) => ({ at, length: url.startsWith(one.url) ? one.url.length : 0 }))
      .toSorted((a, b) => b.length - a.length)[0]
    if (index !== undefined && index.length > 0) {
      return `${registryUrl}${prefixOf(index.at)}/${url.slice(index.length)}`
    }
    const known = publicAddresses.find((one) => url.startsWith(one))
    return known === undefined
      ? undefined
      : `${registryUrl}${prefixOf(0)}/${url.slice(known.length)}`
  }
}

/** Layout, and nothing that names a program, a file or a registry. */
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

/** The `.npmrc` that a manager inside reads: our registries, and of the project's settings the layout. */
export function npmrcInside(
  { registries }: NpmSettings,
  project: ReadonlyMap<string, string>,
): string {
  const lines = registries.map(({ scope }, index) => {
    const key = scope === undefined ? 'registry' : `${scope}:registry`
    return `${key}=${registryUrl}${prefixOf(index)}/`
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

/** Registries that the project names and the operator does not: packages would come from elsewhere. */
export function unknownRegistries(
  { registries }: NpmSettings,
  project: ReadonlyMap<string, string>,
): readonly UnknownRegistry[] {
  const isKnown = (url: string, scope: string | undefined): boolean => {
    const whole = URL.canParse(url) ? splitAddress(url).upstream : url
    if (scope === undefined && publicAddresses.includes(whole)) return true
    return registries.some((one: NpmRegistry) => one.url === whole && one.scope === scope)
  }
  return [...project].flatMap(([key, url]): UnknownRegistry[] => {
    const [, , scope] = /^((@[^:]+):)?registry$/.exec(key) ?? []
    if (key !== 'registry' && scope === undefined) return []
    return isKnown(url, scope) ? [] : [{ key, url }]
  })
}
