/** `yarn.lock`: Yarn 1 has a format for itself, later ones use YAML. */

import { parse } from 'yaml'
import { z } from 'zod'
import {
  collectSources,
  isGitSource,
  type LockfileReading,
  type Sources,
  type ToOurs,
  tryParse,
} from './lockfile-reading.ts'

export const isBerry = (text: string): boolean => /^__metadata:/m.test(text)

export function readYarnLockfile(text: string, toOurs: ToOurs): LockfileReading {
  return isBerry(text) ? readBerry(text) : readClassic(text, toOurs)
}

/** Each entry is a line of patterns at the margin, and its fields below it. */
function readClassic(text: string, toOurs: ToOurs): LockfileReading {
  const sources = collectSources()
  let name = ''
  const lines = text.split('\n').map((line) => {
    const [, header] = /^("?[^\s#].*):\s*$/.exec(line) ?? []
    if (header !== undefined) {
      name = header.replaceAll('"', '').split(',')[0] ?? header
      settlePattern(name, sources)
    }
    const [, address] = /^ {2}resolved "([^"]*)"\s*$/.exec(line) ?? []
    if (address === undefined) return line
    if (isGitSource(address)) {
      sources.foreign(name, address)
      return line
    }
    if (address.startsWith('file:')) {
      sources.path(address.slice('file:'.length).replace(/#.*$/, ''))
      return line
    }
    const ours = toOurs(address)
    if (ours === undefined) sources.foreign(name, address)
    return ours === undefined ? line : `  resolved "${ours}"`
  })
  return sources.read(lines.join('\n'))
}

/** A pattern may name a folder or a repository without an address. */
function settlePattern(pattern: string, sources: Sources): void {
  const range = pattern.slice(pattern.indexOf('@', 1) + 1)
  const [, path] = /^(?:file|link|portal):(.+)$/.exec(range) ?? []
  if (path !== undefined) sources.path(path)
  else if (isGitSource(range)) sources.foreign(pattern, range)
}

const berry = z.record(
  z.string(),
  z.looseObject({ resolution: z.string().optional(), linkType: z.string().optional() }),
)

/** Packages of registries have no address here, but for those outside of the usual path. */
function readBerry(text: string): LockfileReading {
  const sources = collectSources()
  const parsed = berry.safeParse(tryParse(parse, text))
  if (!parsed.success) return { ...sources.read(text), problem: 'it is not a lockfile of Yarn' }
  for (const [key, { resolution = '' }] of Object.entries(parsed.data)) {
    if (key === '__metadata') continue
    const range = resolution.slice(resolution.indexOf('@', 1) + 1)
    const [, protocol = '', rest = ''] = /^([a-z+]+):(.*)$/s.exec(range) ?? []
    if (protocol === 'workspace') sources.path(rest)
    else if (protocol === 'npm') {
      if (rest.includes('__archiveUrl')) sources.foreign(key, rest)
    } else if (protocol === 'patch' || protocol === 'virtual') continue
    else if (['file', 'link', 'portal'].includes(protocol))
      sources.path(rest.replace(/[#:].*$/s, ''))
    else sources.foreign(key, range)
  }
  return sources.read(text)
}
