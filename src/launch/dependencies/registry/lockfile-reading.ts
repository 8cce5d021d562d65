/** What a lockfile takes packages from, and its text with the addresses of registries replaced by ours. */

import { posix } from 'node:path'
import { isScalar, parseAllDocuments, visit } from 'yaml'
import { type ForeignSource, parseForeign, sourceId, sourceUrl } from './foreign-source.ts'

export interface LockfileReading {
  /** What is installed from. */
  readonly text: string
  /** Folders and files that packages are taken from, relative to the folder of the lockfile. */
  readonly paths: readonly string[]
  /** Folders that are only linked to: they need not exist. */
  readonly links?: readonly string[]
  /** From git or from an address that is not a registry, and not to be had: `left-pad (git+ssh://…)`. */
  readonly foreign: readonly string[]
  /** The same, but exact: installed after a person has approved it. In `text` they have addresses of ours. */
  readonly approvable: readonly ForeignSource[]
  /** What a manifest has to say instead of this range, so that it fits `text`. */
  readonly respecify?: (name: string, range: string) => string | undefined
  /** The lockfile cannot be read; why. */
  readonly problem?: string
}

/** An address at our endpoint; undefined: it belongs to no registry of the operator. */
export type ToOurs = (url: string) => string | undefined

export interface Sources {
  path(path: string): void
  link(path: string): void
  foreign(name: string, source: string): void
  /** An address of ours for it; undefined: it is not exact, and is noted as foreign. */
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
    void foreign.add(`${shown(name)} (${shown(source)})`)
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

/** For a message: nothing that a terminal obeys, or that passes for a line of ours. */
export const shown = (text: string): string => text.slice(0, 200).replaceAll(/\p{C}/gu, '?')

/**
 * 1. The library compares each key with all others: a lockfile of three megabytes took half a minute.
 * 2. It looks for what an alias stands for in the whole text, and quotes the text for each error. No package
 *    manager writes aliases.
 * 3. A key that is a map is written out for each map around it: 400 of them, in 800 characters, took minutes.
 */
const yamlOptions = { uniqueKeys: false, maxAliasCount: 0, prettyErrors: false } as const

/** A megabyte takes a second or two, in which nothing else of the process runs. */
const yamlCharsMax = 8 * 1024 * 1024

/** The last document: newer lockfiles of pnpm begin with one about pnpm itself. Undefined: it is not YAML. */
export function parseYaml(text: string): unknown {
  if (text.length > yamlCharsMax) return undefined
  return tryParse(() => {
    const documents = [...parseAllDocuments(text, yamlOptions)]
    const last = documents.at(-1)
    if (last === undefined || documents.some(({ errors }) => errors.length > 0)) return undefined
    return documents.every(isPlain) ? last.toJS(yamlOptions) : undefined
  }, text)
}

/** Each key is a word, and is there once: a manager might take the other one. */
function isPlain(document: Parameters<typeof visit>[0]): boolean {
  let isSo = true
  visit(document, {
    Map(_index, { items }) {
      const keys = new Set(items.map(({ key }) => (isScalar(key) ? key.value : undefined)))
      isSo &&= keys.size === items.length && !keys.has(undefined)
      return isSo ? undefined : visit.BREAK
    },
  })
  return isSo
}

/** Undefined: the text is not in this format. */
export function tryParse(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** Relative to the folder of the lockfile, which is in this folder of the repository. */
export function isInsideRepository(path: string, folder: string): boolean {
  if (posix.isAbsolute(path)) return false
  const inRepository = posix.join(folder, path)
  return inRepository !== '..' && !inRepository.startsWith('../')
}

/** By the part before the first `:`; anything with a host is one of these. */
export const isGitSource = (source: string): boolean =>
  /^(?:git(?:\+[a-z]+)?:|ssh:|github:|gitlab:|bitbucket:|gist:|git@)/.test(source) ||
  /\.git(?:#|$)/.test(source)
