/** The sources of the packages in a lockfile, and its text with registry URLs replaced by endpoint URLs. */

import { posix } from 'node:path'
import { isScalar, parseAllDocuments, visit } from 'yaml'
import { type ForeignSource, parseForeign, sourceId, sourceUrl } from './foreign-source.ts'

export interface LockfileReading {
  /** The text that is installed from. */
  readonly text: string
  /** Folders and files of local packages, relative to the folder of the lockfile. */
  readonly paths: readonly string[]
  /** Folders that are only linked to, and need not exist. */
  readonly links?: readonly string[]
  /** From git or from URLs outside the registries, and not approvable: `left-pad (git+ssh://…)`. */
  readonly foreign: readonly string[]
  /** The same, but pinned: installed after the user approved them. In `text` they have endpoint URLs. */
  readonly approvable: readonly ForeignSource[]
  /** The range that replaces this one in a manifest, so that it matches `text`. */
  readonly replaceRange?: (name: string, range: string) => string | undefined
  /** Why the lockfile cannot be read. */
  readonly problem?: string
}

/** Maps a URL to the endpoint; undefined: it does not belong to a registry of the operator. */
export type ToEndpointUrl = (url: string) => string | undefined

export interface Sources {
  path(path: string): void
  link(path: string): void
  foreign(name: string, source: string): void
  /** Returns its endpoint URL; undefined: it is not pinned, and was added as foreign. */
  approvable(name: string, source: string, integrity?: string): string | undefined
}

export interface CollectedSources extends Sources {
  read(text: string): LockfileReading
}

export function collectSources(): CollectedSources {
  const paths = new Set<string>()
  const links = new Set<string>()
  const foreign = new Set<string>()
  const approvable = new Map<string, ForeignSource>()
  const refuse = (name: string, source: string): void =>
    void foreign.add(`${printable(name)} (${printable(source)})`)
  return {
    path: (path) => void paths.add(posix.normalize(path)),
    link: (path) => void links.add(posix.normalize(path)),
    foreign: refuse,
    approvable(name, source, integrity) {
      const found = parseForeign(name, source, integrity)
      if (found === undefined) {
        refuse(name, source)
        return undefined
      }
      approvable.set(sourceId(found), found)
      return sourceUrl(found)
    },
    read: (text) => ({
      text,
      paths: [...paths],
      ...(links.size === 0 ? {} : { links: [...links] }),
      foreign: [...foreign],
      approvable: [...approvable.values()],
    }),
  }
}

/** For messages: without control characters and line breaks. */
export const printable = (text: string): string => text.slice(0, 200).replaceAll(/\p{C}/gu, '?')

/**
 * 1. The library compares each key with all others: a lockfile of 3 MB took half a minute.
 * 2. It searches the whole text to resolve an alias, and quotes the text in each error. No package manager
 *    writes aliases.
 * 3. It serializes a key that is a map once for each enclosing map: 400 of them, in 800 characters, took minutes.
 */
const yamlOptions = { uniqueKeys: false, maxAliasCount: 0, prettyErrors: false } as const

/** Parsing blocks the process for one or two seconds per megabyte. */
const yamlCharsMax = 8 * 1024 * 1024

/** Returns the last document: newer pnpm lockfiles start with one about pnpm itself. Undefined: it is not YAML. */
export function parseYaml(text: string): unknown {
  if (text.length > yamlCharsMax) return undefined
  return tryParse(() => {
    const documents = [...parseAllDocuments(text, yamlOptions)]
    const last = documents.at(-1)
    if (last === undefined || documents.some(({ errors }) => errors.length > 0)) return undefined
    return documents.every(isPlain) ? last.toJS(yamlOptions) : undefined
  }, text)
}

/** Each key is a scalar and occurs once: of duplicates, a manager might use the other one. */
function isPlain(document: Parameters<typeof visit>[0]): boolean {
  let isPlainSoFar = true
  visit(document, {
    Map(_index, { items }) {
      const keys = new Set(items.map(({ key }) => (isScalar(key) ? key.value : undefined)))
      isPlainSoFar &&= keys.size === items.length && !keys.has(undefined)
      return isPlainSoFar ? undefined : visit.BREAK
    },
  })
  return isPlainSoFar
}

/** Undefined: the text is not in this format. */
export function tryParse(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** `path` is relative to `folder`, the folder of the lockfile in the repository. */
export function isInsideRepository(path: string, folder: string): boolean {
  if (posix.isAbsolute(path)) return false
  const inRepository = posix.join(folder, path)
  return inRepository !== '..' && !inRepository.startsWith('../')
}

/** Recognizes git sources by the part before the first `:` or by `.git` at the end. */
export const isGitSource = (source: string): boolean =>
  /^(?:git(?:\+[a-z]+)?:|ssh:|github:|gitlab:|bitbucket:|gist:|git@)/.test(source) ||
  /\.git(?:#|$)/.test(source)
