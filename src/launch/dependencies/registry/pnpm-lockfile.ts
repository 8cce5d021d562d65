/** `pnpm-lock.yaml`, and `bun.lock`, which YAML can read too. */

import { z } from 'zod'
import {
  collectSources,
  isGitSource,
  type LockfileReading,
  parseYaml,
  type Sources,
  type ToOurs,
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
  toOurs: ToOurs,
  yaml: unknown = parseYaml(text),
): LockfileReading {
  const sources = collectSources()
  const parsed = pnpm.safeParse(yaml)
  if (!parsed.success) return { ...sources.read(text), problem: 'it is not a lockfile of pnpm' }
  const { importers = {}, packages } = parsed.data
  for (const path of Object.keys(importers)) sources.path(path)
  for (const [name, one] of Object.entries(packages ?? {})) {
    const from = one.resolution
    if (from === undefined) continue
    if (from.type === 'directory') sources.path(from.directory ?? '.')
    else if (from.tarball?.startsWith('file:') === true) sources.path(from.tarball.slice(5))
    else if (from.type !== undefined || from.tarball !== undefined) {
      const ours = settlePackage(name, from, sources, toOurs)
      if (ours !== undefined) one.resolution = ours
    }
  }
  // What was read, and not the text: a key that is there twice may be read otherwise by pnpm. JSON is YAML.
  return sources.read(`${JSON.stringify(parsed.data, undefined, 2)}\n`)
}

/** What it is fetched from instead; undefined: it cannot be. */
function settlePackage(
  id: string,
  from: Resolution,
  sources: Sources,
  toOurs: ToOurs,
): Resolution | undefined {
  const name = id.slice(0, Math.max(1, id.indexOf('@', 1)))
  const { type, repo = '', commit = '', tarball, integrity, path } = from
  if (type !== undefined || tarball === undefined) {
    // A package in a folder of a repository has no archive of its own.
    if (type !== 'git' || path !== undefined) sources.foreign(name, repo || (type ?? id))
    else {
      const ours = sources.approvable(name, `git+${repo.replace(/^git\+/, '')}#${commit}`)
      if (ours !== undefined) return { tarball: ours }
    }
    return undefined
  }
  const ours = toOurs(tarball) ?? sources.approvable(name, tarball, integrity)
  return ours === undefined ? undefined : { ...from, tarball: ours }
}

const bun = z.looseObject({
  lockfileVersion: z.number(),
  workspaces: z.record(z.string(), z.unknown()),
  packages: z.record(z.string(), z.array(z.unknown())).optional(),
})

/** An entry is `[name@version, address of the registry or nothing, …]`, or `[name@protocol:…]`. */
export function readBunLockfile(
  text: string,
  toOurs: ToOurs,
  // JSON with commas at the end of lists is YAML.
  yaml: unknown = parseYaml(text),
): LockfileReading {
  const sources = collectSources()
  const parsed = bun.safeParse(yaml)
  if (!parsed.success) return { ...sources.read(text), problem: 'it is not a lockfile of Bun' }
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
      const ours = toOurs(archive)
      if (ours === undefined) sources.foreign(name, archive)
      else entry[1] = ours
    }
  }
  return sources.read(`${JSON.stringify(parsed.data, undefined, 2)}\n`)
}

/** Bun asks the public registry for what has no address, whatever its settings say. */
function publicArchive(id: string, version: string): string {
  const name = id.slice(0, id.indexOf('@', 1))
  return `${publicRegistry}${name}/-/${name.replace(/^@[^/]*\//, '')}-${version}.tgz`
}
