/** Reads `pnpm-lock.yaml`, and `bun.lock`, which is also valid YAML. */

import { z } from 'zod'
import {
  collectSources,
  isGitSource,
  type LockfileReading,
  parseYaml,
  type Sources,
  type ToEndpointUrl,
} from './lockfile-reading.ts'
import { publicRegistry } from './npm-settings.ts'

const resolution = z.looseObject({
  tarball: z.string().optional(),
  type: z.string().optional(),
  directory: z.string().optional(),
  repo: z.string().optional(),
  commit: z.string().optional(),
  path: z.string().optional(),
  integrity: z.string().optional(),
})

const pnpm = z.looseObject({
  lockfileVersion: z.union([z.string(), z.number()]),
  importers: z.record(z.string(), z.unknown()).optional(),
  packages: z.record(z.string(), z.looseObject({ resolution: resolution.optional() })).nullish(),
})
type Resolution = z.infer<typeof resolution>

export function readPnpmLockfile(
  text: string,
  toEndpointUrl: ToEndpointUrl,
  yaml: unknown = parseYaml(text),
): LockfileReading {
  const sources = collectSources()
  const parsed = pnpm.safeParse(yaml)
  if (!parsed.success) return { ...sources.read(text), problem: 'it is not a pnpm lockfile' }
  const { importers = {}, packages } = parsed.data
  for (const path of Object.keys(importers)) sources.path(path)
  for (const [name, one] of Object.entries(packages ?? {})) {
    const from = one.resolution
    if (from === undefined) continue
    if (from.type === 'directory') sources.path(from.directory ?? '.')
    else if (from.tarball?.startsWith('file:') === true) sources.path(from.tarball.slice(5))
    else if (from.type !== undefined || from.tarball !== undefined) {
      const endpointUrl = replacePackage(name, from, sources, toEndpointUrl)
      if (endpointUrl !== undefined) one.resolution = endpointUrl
    }
  }
  // Not the original text, which pnpm might parse differently if it has duplicate keys. JSON is valid YAML.
  return sources.read(`${JSON.stringify(parsed.data, undefined, 2)}\n`)
}

/** Returns the source at the endpoint; undefined: it cannot be fetched. */
function replacePackage(
  id: string,
  from: Resolution,
  sources: Sources,
  toEndpointUrl: ToEndpointUrl,
): Resolution | undefined {
  const name = id.slice(0, Math.max(1, id.indexOf('@', 1)))
  const { type, repo = '', commit = '', tarball, integrity, path } = from
  if (type !== undefined || tarball === undefined) {
    // A package in a sub-folder of a repository cannot be fetched as an archive.
    if (type !== 'git' || path !== undefined) sources.foreign(name, repo || (type ?? id))
    else {
      const endpointUrl = sources.approvable(name, `git+${repo.replace(/^git\+/, '')}#${commit}`)
      if (endpointUrl !== undefined) return { tarball: endpointUrl }
    }
    return undefined
  }
  const endpointUrl = toEndpointUrl(tarball) ?? sources.approvable(name, tarball, integrity)
  return endpointUrl === undefined ? undefined : { ...from, tarball: endpointUrl }
}

const bun = z.looseObject({
  lockfileVersion: z.number(),
  workspaces: z.record(z.string(), z.unknown()),
  packages: z.record(z.string(), z.array(z.unknown())).optional(),
})

/** An entry is `[name@version, registry URL or nothing, …]`, or `[name@protocol:…]`. */
export function readBunLockfile(
  text: string,
  toEndpointUrl: ToEndpointUrl,
  // JSON with trailing commas is valid YAML.
  yaml: unknown = parseYaml(text),
): LockfileReading {
  const sources = collectSources()
  const parsed = bun.safeParse(yaml)
  if (!parsed.success) return { ...sources.read(text), problem: 'it is not a Bun lockfile' }
  for (const path of Object.keys(parsed.data.workspaces)) sources.path(path === '' ? '.' : path)
  for (const entry of Object.values(parsed.data.packages ?? {})) {
    const [id, address] = entry
    const name = String(id)
    const range = name.slice(name.indexOf('@', 1) + 1)
    const [, protocol = '', rest = ''] = /^([a-z+]+):(.*)$/s.exec(range) ?? []
    if (['workspace', 'file', 'link'].includes(protocol)) sources.path(rest)
    else if (range.startsWith('./') || range.startsWith('../')) sources.path(range)
    else if (protocol !== '' && protocol !== 'npm') sources.foreign(name, range)
    else if (isGitSource(range)) sources.foreign(name, range)
    else if (typeof address === 'string') {
      const archive = address === '' ? publicArchive(name, range) : address
      const endpointUrl = toEndpointUrl(archive)
      if (endpointUrl === undefined) sources.foreign(name, archive)
      else entry[1] = endpointUrl
    }
  }
  return sources.read(`${JSON.stringify(parsed.data, undefined, 2)}\n`)
}

/** Without a URL, Bun uses the public registry, whatever its settings. */
function publicArchive(id: string, version: string): string {
  const name = id.slice(0, id.indexOf('@', 1))
  return `${publicRegistry}${name}/-/${name.replace(/^@[^/]*\//, '')}-${version}.tgz`
}
