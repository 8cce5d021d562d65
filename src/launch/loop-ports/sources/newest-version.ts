/** How the registry of each package manager is asked for the newest version of a package, and how it answers. */

import { z } from 'zod'
import { tryParse } from '../../dependencies/registry/lockfile-reading.ts'
import { readNpmSettings } from '../../dependencies/registry/npm-settings.ts'
import type { RegistryRoute } from '../../dependencies/registry/registry-endpoint.ts'

export interface Lookup {
  readonly url: URL
  readonly accept: string
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: it names no version. */
  read(text: string): string | undefined
}

/** In the order in which they are tried. Empty: no registry is known for it, or its name is not valid. */
export function lookupsFor(
  manager: string,
  name: string,
  routes: readonly RegistryRoute[],
): readonly Lookup[] {
  switch (manager) {
    case 'pip':
      return atRoute(routes, 'pypi/0', pythonPath(name), pythonAccept, readPythonVersions)
    case 'cargo':
      return atRoute(routes, 'cargo/0', cratePath(name), 'text/plain', readCrate)
    case 'go':
      return atRoute(routes, 'go/0', modulePath(name), 'application/json', readModule)
    default:
      return npmLookups(name)
  }
}

function atRoute(
  routes: readonly RegistryRoute[],
  prefix: string,
  path: string | undefined,
  accept: string,
  read: Lookup['read'],
): readonly Lookup[] {
  const route = routes.find((one) => one.prefix === prefix)
  if (route === undefined || path === undefined) return []
  return [{ url: new URL(path, route.upstream), accept, headers: route.headers, read }]
}

const npmName = /^(?:(@[a-z0-9~-][a-z0-9._~-]*)\/)?[a-z0-9~-][a-z0-9._~-]*$/i

function npmLookups(name: string): readonly Lookup[] {
  const [, scope] = npmName.exec(name) ?? []
  if (!npmName.test(name)) return []
  const { registries } = readNpmSettings()
  const registry = registries.find((one) => one.scope !== undefined && one.scope === scope)
  const [main] = registries
  const { url, headers } = registry ?? main ?? { url: undefined, headers: {} }
  if (url === undefined) return []
  const path = name.replace('/', '%2f')
  return [
    // Small, but not every registry has it.
    {
      url: new URL(`${path}/latest`, url),
      accept: 'application/json',
      headers,
      read: (text) => versionSchema.safeParse(tryParse(JSON.parse, text)).data?.version,
    },
    {
      url: new URL(path, url),
      accept: 'application/vnd.npm.install-v1+json, application/json',
      headers,
      read: (text) => tagsSchema.safeParse(tryParse(JSON.parse, text)).data?.['dist-tags'].latest,
    },
  ]
}

const versionSchema = z.object({ version: z.string() })
const tagsSchema = z.object({ 'dist-tags': z.object({ latest: z.string() }) })

const pythonAccept = 'application/vnd.pypi.simple.v1+json'

const pythonPath = (name: string): string | undefined =>
  /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(name)
    ? `${name.toLowerCase().replaceAll(/[-_.]+/g, '-')}/`
    : undefined

const pythonSchema = z.object({ versions: z.array(z.string()) })

const readPythonVersions = (text: string): string | undefined =>
  newestOf(pythonSchema.safeParse(tryParse(JSON.parse, text)).data?.versions ?? [])

function cratePath(name: string): string | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return undefined
  const lower = name.toLowerCase()
  if (lower.length <= 2) return `${lower.length}/${lower}`
  if (lower.length === 3) return `3/${lower[0]}/${lower}`
  return `${lower.slice(0, 2)}/${lower.slice(2, 4)}/${lower}`
}

const crateSchema = z.object({ vers: z.string(), yanked: z.boolean() })

const readCrate = (text: string): string | undefined =>
  newestOf(
    text.split('\n').flatMap((line) => {
      const { data } = crateSchema.safeParse(tryParse(JSON.parse, line))
      return data === undefined || data.yanked ? [] : [data.vers]
    }),
  )

const modulePath = (name: string): string | undefined =>
  /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/.test(name) && !name.includes('..')
    ? `${name.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)}/@latest`
    : undefined

const moduleSchema = z.object({ Version: z.string() })

const readModule = (text: string): string | undefined =>
  moduleSchema.safeParse(tryParse(JSON.parse, text)).data?.Version

/** Releases only. */
const newestOf = (versions: readonly string[]): string | undefined =>
  versions
    .filter((one) => /^v?\d+(?:\.\d+)*(?:\.post\d+)?(?:\+[\w.]+)?$/.test(one))
    .reduce<string | undefined>(
      (newest, one) => (newest === undefined || isNewer(one, newest) ? one : newest),
      undefined,
    )

/** By the numbers of both; a release is newer than its own pre-releases. */
export function isNewer(one: string, other: string): boolean {
  const [a, b] = [parts(one), parts(other)]
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at++) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return !a.isEarly && b.isEarly
}

function parts(version: string): {
  readonly numbers: readonly number[]
  readonly isEarly: boolean
} {
  const [, text = '', rest = ''] = /^[^\d]*(\d+(?:\.\d+)*)(.*)$/.exec(version) ?? []
  const [, post] = /^\.post(\d+)/.exec(rest) ?? []
  const numbers = text.split('.').slice(0, 8).map(Number)
  return {
    numbers: post === undefined ? numbers : [...numbers, Number(post)],
    isEarly: post === undefined && rest !== '' && !rest.startsWith('+'),
  }
}
