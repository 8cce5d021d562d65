/** `package-lock.json` and `npm-shrinkwrap.json`, of all versions. */

import { z } from 'zod'
import {
  collectSources,
  isGitSource,
  type LockfileReading,
  type Sources,
  type ToOurs,
} from './lockfile-reading.ts'
import { isForeignRange, type Respecify, respecifyAll } from './respecify.ts'

const entry = z.looseObject({
  resolved: z.union([z.string(), z.boolean()]).optional(),
  version: z.string().optional(),
  integrity: z.string().optional().catch(undefined),
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
  const approvable = new Map<string, string>()
  for (const [place, one] of Object.entries(parsed.packages ?? {})) {
    const isOwn = !/(?:^|\/)node_modules\//.test(place)
    if (isOwn && place !== '') sources.path(place)
    if (isOwn) continue
    const name = place.replace(/^.*node_modules\//, '')
    const ours = settle(name, one, sources, toOurs)
    if (ours === undefined) continue
    const other = approvable.get(name) ?? ours
    if (other !== ours) sources.foreign(name, 'from more than one repository or address')
    approvable.set(name, ours)
  }
  const respecify: Respecify = (name, range) =>
    isForeignRange(range) ? approvable.get(name) : undefined
  for (const one of Object.values(parsed.packages ?? {})) respecifyAll(one, respecify)
  // Version 1 has these alone; later ones repeat in them what is above.
  if (parsed.packages === undefined) settleTree(parsed.dependencies ?? {}, sources, toOurs)
  else delete parsed.dependencies
  return { ...sources.read(`${JSON.stringify(parsed, undefined, 2)}\n`), respecify }
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

/** Replaces its address in place. Our address, where it needs an approval. */
function settle(name: string, one: Entry, sources: Sources, toOurs: ToOurs): string | undefined {
  const { version = '' } = one
  const resolved = typeof one.resolved === 'string' ? one.resolved : undefined
  const source = resolved ?? (/^[a-z+]+:/.test(version) ? version : undefined)
  if (one.link === true) sources.path(source ?? '.')
  else if (source?.startsWith('file:') === true) sources.path(source.slice('file:'.length))
  else if (source !== undefined) return settleAddress(name, one, source, sources, toOurs)
  return undefined
}

function settleAddress(
  name: string,
  one: Entry,
  source: string,
  sources: Sources,
  toOurs: ToOurs,
): string | undefined {
  const isGit = isGitSource(source)
  const known = isGit ? undefined : toOurs(source)
  if (known !== undefined) {
    if (one.resolved !== undefined) one.resolved = known
    return undefined
  }
  // Version 1 has no place for an address of ours.
  if (one.resolved === undefined) {
    sources.foreign(name, source)
    return undefined
  }
  const ours = sources.approvable(name, source, isGit ? undefined : one.integrity)
  if (ours === undefined) return undefined
  one.resolved = ours
  // Of the archive that npm would have packed itself.
  if (isGit) delete one.integrity
  return ours
}
