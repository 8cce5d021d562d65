/** Reads `yarn.lock`: Yarn 1 has its own format, later versions use YAML. */

import { posix } from 'node:path'
import { z } from 'zod'
import {
  collectSources,
  isGitSource,
  isInsideRepository,
  type LockfileReading,
  parseYaml,
  type Sources,
  type ToEndpointUrl,
  tryParse,
} from './lockfile-reading.ts'
import type { ReplaceRange } from './replace-ranges.ts'

export const isBerry = (text: string): boolean => /^__metadata:/m.test(text)

export function readYarnLockfile(
  text: string,
  toEndpointUrl: ToEndpointUrl,
  yaml?: unknown,
): LockfileReading {
  return isBerry(text)
    ? readBerry(text, yaml === undefined ? parseYaml(text) : yaml)
    : readClassic(text, toEndpointUrl)
}

/** Each entry is an unindented line of patterns, followed by its indented fields. */
function readClassic(text: string, toEndpointUrl: ToEndpointUrl): LockfileReading {
  const sources = collectSources()
  const replacedRanges = new Map<string, string>()
  const entries = text.split(/\n(?=\S)/).map((entry) => {
    const [, header] = /^("?[^\s#].*):\s*$/m.exec(entry.split('\n', 1)[0] ?? '') ?? []
    const patterns = (header ?? '').split(',').map((one) => one.trim().replaceAll('"', ''))
    const replaced = replaceEntry(entry, patterns, sources, toEndpointUrl)
    if (replaced?.isApprovable !== true) return replaced?.text ?? entry
    for (const pattern of patterns) replacedRanges.set(pattern, replaced.address)
    const [name] = splitPattern(patterns[0] ?? '')
    return replaced.text.replace(/^.*$/m, `"${name}@${replaced.address}":`)
  })
  const replaceRange: ReplaceRange = (name, range) => replacedRanges.get(`${name}@${range}`)
  // The dependencies of an entry are lines such as `    name "range"`.
  const whole = entries
    .join('\n')
    .replaceAll(/^( {4}"?)([^\s"]+)("? )"([^"]*)"$/gm, (line, start, name, middle, range) => {
      const replaced = replaceRange(String(name), String(range))
      return replaced === undefined ? line : `${start}${name}${middle}"${replaced}"`
    })
  return { ...sources.read(whole), replaceRange }
}

interface ReplacedEntry {
  readonly text: string
  readonly address: string
  readonly isApprovable: boolean
}

function replaceEntry(
  entry: string,
  patterns: readonly string[],
  sources: Sources,
  toEndpointUrl: ToEndpointUrl,
): ReplacedEntry | undefined {
  const [first = ''] = patterns
  const [name, range] = splitPattern(first)
  const [, resolved] = /^ {2}resolved "([^"]*)"\s*$/m.exec(entry) ?? []
  const [, path] = /^(?:file|link|portal):(.+)$/.exec(range) ?? []
  if (path !== undefined) sources.path(path)
  if (resolved === undefined) {
    if (isGitSource(range)) sources.foreign(first, range)
    return undefined
  }
  if (resolved.startsWith('file:')) {
    sources.path(resolved.slice('file:'.length).replace(/#.*$/, ''))
    return undefined
  }
  const isGit = isGitSource(resolved)
  const known = isGit ? undefined : toEndpointUrl(resolved)
  const [, integrity] = /^ {2}integrity (\S+)\s*$/m.exec(entry) ?? []
  const address = known ?? sources.approvable(name, resolved, isGit ? undefined : integrity)
  if (address === undefined) return undefined
  const text = entry.replace(/^ {2}resolved "[^"]*"/m, `  resolved "${address}"`)
  return { text, address, isApprovable: known === undefined }
}

function splitPattern(pattern: string): readonly [string, string] {
  const at = pattern.indexOf('@', 1)
  return at < 0 ? [pattern, ''] : [pattern.slice(0, at), pattern.slice(at + 1)]
}

const berry = z.record(
  z.string(),
  z.looseObject({ resolution: z.string().optional(), linkType: z.string().optional() }),
)

/** Packages of registries have no URL here, except those outside the usual path. */
function readBerry(text: string, yaml: unknown): LockfileReading {
  const sources = collectSources()
  const parsed = berry.safeParse(yaml)
  const keys = text.split('\n').filter((line) => /^[^\s#]/.test(line))
  if (new Set(keys).size < keys.length)
    return { ...sources.read(text), problem: 'it has duplicate entries' }
  if (!parsed.success) return { ...sources.read(text), problem: 'it is not a Yarn lockfile' }
  for (const [key, { resolution = '' }] of Object.entries(parsed.data)) {
    if (key === '__metadata') continue
    const range = resolution.slice(resolution.indexOf('@', 1) + 1)
    const [, protocol = '', rest = ''] = /^([a-z+]+):(.*)$/s.exec(range) ?? []
    if (protocol === 'workspace') sources.path(rest)
    else if (protocol === 'npm') {
      if (rest.includes('__archiveUrl')) sources.foreign(key, rest)
    } else if (protocol === 'patch' || protocol === 'virtual') continue
    else if (protocol === 'link') sources.link(pathFrom(rest))
    else if (['file', 'portal'].includes(protocol)) sources.path(pathFrom(rest))
    else sources.foreign(key, range)
  }
  return sources.read(text)
}

/** `../lib::locator=a%40workspace%3Apackages%2Fa`: relative to the package that depends on it. */
function pathFrom(rest: string): string {
  const path = rest.replace(/[#:].*$/s, '')
  const [, locator = ''] = /::(?:.*&)?locator=([^&]*)/s.exec(rest) ?? []
  const [, workspace = ''] = /%40workspace%3A(.*)$/s.exec(locator) ?? []
  const folder = tryParse(decodeURIComponent, workspace)
  const isUsed = typeof folder === 'string' && isInsideRepository(folder, '')
  return isUsed && !posix.isAbsolute(path) ? posix.join(folder, path) : path
}
