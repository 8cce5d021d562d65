/** `package-lock.json` and `npm-shrinkwrap.json`, of all versions. */

import { z } from 'zod'
import {
  collectSources,
  isGitSource,
  type LockfileReading,
  type Sources,
  type ToOurs,
} from './lockfile-reading.ts'

const entry = z.looseObject({
  resolved: z.union([z.string(), z.boolean()]).optional(),
  version: z.string().optional(),
  link: z.boolean().optional(),
})
type Entry = z.infer<typeof entry> & { dependencies?: unknown }

const lockfile = z.looseObject({
  lockfileVersion: z.number(),
  packages: z.record(z.string(), entry).optional(),
  dependencies: z.record(z.string(), entry).optional(),
})

export function readNpmLockfile(text: string, toOurs: ToOurs): LockfileReading {
  const sources = collectSources()
  let parsed: z.infer<typeof lockfile>
  try {
    parsed = lockfile.parse(JSON.parse(text))
  } catch {
    return { ...sources.read(text), problem: 'it is not a lockfile of npm' }
  }
  for (const [place, one] of Object.entries(parsed.packages ?? {})) {
    const isOwn = !/(?:^|\/)node_modules\//.test(place)
    if (isOwn && place !== '') sources.path(place)
    if (!isOwn) settle(place.replace(/^.*node_modules\//, ''), one, sources, toOurs)
  }
  // Version 1 has these alone; later ones repeat in them what is above.
  if (parsed.packages === undefined) settleTree(parsed.dependencies ?? {}, sources, toOurs)
  else delete parsed.dependencies
  return sources.read(`${JSON.stringify(parsed, undefined, 2)}\n`)
}

function settleTree(tree: Record<string, Entry>, sources: Sources, toOurs: ToOurs): void {
  for (const [name, one] of Object.entries(tree)) {
    settle(name, one, sources, toOurs)
    const inner = z.record(z.string(), entry).safeParse(one.dependencies ?? {})
    if (!inner.success) continue
    one.dependencies = inner.data
    settleTree(inner.data, sources, toOurs)
  }
}

/** Replaces its address in place. */
function settle(name: string, one: Entry, sources: Sources, toOurs: ToOurs): void {
  const { version = '' } = one
  const resolved = typeof one.resolved === 'string' ? one.resolved : undefined
  const source = resolved ?? (/^[a-z+]+:/.test(version) ? version : undefined)
  if (one.link === true) return sources.path(source ?? '.')
  if (source === undefined) return
  if (source.startsWith('file:')) return sources.path(source.slice('file:'.length))
  if (isGitSource(source)) return sources.foreign(name, source)
  const ours = toOurs(source)
  if (ours === undefined) return sources.foreign(name, source)
  if (resolved !== undefined) one.resolved = ours
}
