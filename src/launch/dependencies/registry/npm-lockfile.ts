/** Reads `package-lock.json` and `npm-shrinkwrap.json` of all versions. */

import { z } from 'zod'
import {
  collectSources,
  isGitSource,
  type LockfileReading,
  type Sources,
  type ToEndpointUrl,
} from './lockfile-reading.ts'
import { isForeignRange, type ReplaceRange, replaceRanges } from './replace-ranges.ts'

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

export function readNpmLockfile(text: string, toEndpointUrl: ToEndpointUrl): LockfileReading {
  const sources = collectSources()
  let parsed: z.infer<typeof lockfile>
  try {
    parsed = lockfile.parse(JSON.parse(text))
  } catch {
    return { ...sources.read(text), problem: 'it is not an npm lockfile' }
  }
  const approvable = new Map<string, string>()
  for (const [location, one] of Object.entries(parsed.packages ?? {})) {
    const isOwn = !/(?:^|\/)node_modules\//.test(location)
    if (isOwn && location !== '') sources.path(location)
    if (isOwn) continue
    const name = location.replace(/^.*node_modules\//, '')
    const endpointUrl = replaceSource(name, one, sources, toEndpointUrl)
    if (endpointUrl === undefined) continue
    const other = approvable.get(name) ?? endpointUrl
    if (other !== endpointUrl) sources.foreign(name, 'from more than one repository or address')
    approvable.set(name, endpointUrl)
  }
  const replaceRange: ReplaceRange = (name, range) =>
    isForeignRange(range) ? approvable.get(name) : undefined
  for (const one of Object.values(parsed.packages ?? {})) replaceRanges(one, replaceRange)
  // Version 1 has only these; later versions repeat the packages in them.
  if (parsed.packages === undefined)
    replaceSources(parsed.dependencies ?? {}, sources, toEndpointUrl)
  else delete parsed.dependencies
  return { ...sources.read(`${JSON.stringify(parsed, undefined, 2)}\n`), replaceRange }
}

function replaceSources(
  tree: Record<string, Entry>,
  sources: Sources,
  toEndpointUrl: ToEndpointUrl,
): void {
  for (const [name, one] of Object.entries(tree)) {
    replaceSource(name, one, sources, toEndpointUrl)
    const inner = z.record(z.string(), entry).safeParse(one.dependencies ?? {})
    if (!inner.success) continue
    one.dependencies = inner.data
    replaceSources(inner.data, sources, toEndpointUrl)
  }
}

/** Replaces its URL in place. Returns the endpoint URL if the package needs an approval. */
function replaceSource(
  name: string,
  one: Entry,
  sources: Sources,
  toEndpointUrl: ToEndpointUrl,
): string | undefined {
  const { version = '' } = one
  const resolved = typeof one.resolved === 'string' ? one.resolved : undefined
  const source = resolved ?? (/^[a-z+]+:/.test(version) ? version : undefined)
  if (one.link === true) sources.path(source ?? '.')
  else if (source?.startsWith('file:') === true) sources.path(source.slice('file:'.length))
  else if (source !== undefined) return replaceAddress(name, one, source, sources, toEndpointUrl)
  return undefined
}

function replaceAddress(
  name: string,
  one: Entry,
  source: string,
  sources: Sources,
  toEndpointUrl: ToEndpointUrl,
): string | undefined {
  const isGit = isGitSource(source)
  const known = isGit ? undefined : toEndpointUrl(source)
  if (known !== undefined) {
    if (one.resolved !== undefined) one.resolved = known
    return undefined
  }
  // Version 1 has no field for an endpoint URL.
  if (one.resolved === undefined) {
    sources.foreign(name, source)
    return undefined
  }
  const endpointUrl = sources.approvable(name, source, isGit ? undefined : one.integrity)
  if (endpointUrl === undefined) return undefined
  one.resolved = endpointUrl
  // It is the checksum of an archive that npm would have packed itself.
  if (isGit) delete one.integrity
  return endpointUrl
}
