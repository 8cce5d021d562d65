/**
 * Finds the files that a text refers to, judging by its literals: import specifiers, and strings that look like paths.
 * Nothing is run and no grammar is needed; a hostile text takes no longer than any other.
 */

import type { TreeFile } from '../../engine/index.ts'
import { extensionOf, folderOf, nameOf } from './file-kinds.ts'

const literalsMax = 20_000
const starsMax = 3

const quoted = /(["'`])((?:(?!\1)[^\n\\]){1,300})\1/g
const pythonImports =
  /^[ \t]*(?:from[ \t]+([.\w]{1,200})[ \t]+import[ \t]+([^\n#]{1,300})|import[ \t]+([\w., \t]{1,300}))/gm
const goEmbeds = /^\/\/go:embed[ \t]+([^\n]{1,300})/gm
const rustModules = /\bmod[ \t]+(\w{1,100})[ \t]*;/g

/** Specifiers and paths as written; `./` marks those relative to the file. */
export function literalsIn(path: string, text: string): readonly string[] {
  const found = new Set<string>()
  const add = (literal: string): void => {
    if (found.size < literalsMax && looksLikePath(literal)) found.add(literal)
  }
  for (const { 2: literal = '' } of text.matchAll(quoted)) add(literal.replace(/[?#].*$/, ''))
  if (/\.pyi?$/.test(path)) for (const literal of findPythonImports(text)) add(literal)
  if (path.endsWith('.go')) {
    for (const { 1: line = '' } of text.matchAll(goEmbeds)) {
      for (const word of line.split(/\s+/))
        add(`./${word.replaceAll('"', '').replace(/^all:/, '')}`)
    }
  }
  if (path.endsWith('.rs')) {
    for (const { 1: name = '' } of text.matchAll(rustModules)) add(`${rustFolder(path)}${name}`)
  }
  return [...found]
}

const looksLikePath = (literal: string): boolean =>
  literal.length > 1 &&
  !literal.includes('://') &&
  (/[./]/.test(literal) || /^[\w@~#-]+$/.test(literal))

const rustFolder = (path: string): string =>
  /(?:^|\/)(?:lib|main|mod)\.rs$/.test(path) ? './' : `./${nameOf(path).replace(/\.rs$/, '')}/`

function* findPythonImports(text: string): Generator<string> {
  for (const { 1: from, 2: names = '', 3: modules = '' } of text.matchAll(pythonImports)) {
    if (from === undefined) {
      for (const name of modules.split(',')) yield toModulePath(name.trim().split(/\s/)[0] ?? '')
      continue
    }
    const folder = toModulePath(from)
    yield folder
    for (const name of names.replaceAll(/[()]/g, '').split(',')) {
      yield `${folder}/${name.trim().split(/\s/)[0] ?? ''}`
    }
  }
}

/** `a.b` → `a/b`; `..b` → `./../b`. */
function toModulePath(name: string): string {
  const dots = /^\.*/.exec(name)?.[0].length ?? 0
  const rest = name.slice(dots).replaceAll('.', '/')
  if (dots === 0) return rest.includes('/') ? rest : `${rest}.py`
  return `./${'../'.repeat(dots - 1)}${rest}`
}

const suffixes = [
  '',
  ...`.ts .tsx .mts .cts .js .jsx .mjs .cjs .json .vue .svelte .py .pyi .rs .rb .css .scss .d.ts /index.ts
    /index.tsx /index.js /index.mjs /index.cjs /index.mts /index.jsx /__init__.py /mod.rs`.split(
    /\s+/,
  ),
]

/** Resolves a relative literal: `./sum.js` may mean `sum.ts`. */
export function resolveFrom(
  folder: string,
  literal: string,
  has: (path: string) => boolean,
): string | undefined {
  const plain = normalizePath(`${folder}${literal}`)
  if (plain === undefined) return undefined
  const stem = plain.replace(/\.[cm]?jsx?$/, '')
  const options = stem === plain ? [plain] : [plain, stem]
  for (const option of options) {
    const suffix = suffixes.find((end) => option + end !== '' && has(option + end))
    if (suffix !== undefined) return option + suffix
  }
  return undefined
}

/** Undefined: it leads out of the tree. */
export function normalizePath(path: string): string | undefined {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

/** Finds files by the end of their path, without an extension: for aliases (`@/utils/sum`). */
export interface NameIndex {
  readonly byName: ReadonlyMap<string, readonly string[]>
  readonly all: readonly string[]
  /** Resolved patterns; at most `patternsMax`, so that hostile texts take no longer (E9). */
  readonly patterns: Map<string, readonly string[]>
}

const patternsMax = 2000

export function indexNames(paths: Iterable<string>): NameIndex {
  const byName = new Map<string, string[]>()
  const add = (name: string, path: string): void => {
    const known = byName.get(name)
    if (known === undefined) byName.set(name, [path])
    else if (known.length < 200) known.push(path)
  }
  const all = [...paths]
  for (const path of all) {
    const name = nameOf(path)
    add(name, path)
    const stem = stemOf(path)
    if (stem !== name) add(stem, path)
  }
  return { byName, all, patterns: new Map() }
}

/** `index.ts` and `__init__.py` are known by the name of their folder. */
function stemOf(path: string): string {
  const name = nameOf(path)
  const stem = name.replace(/(?<=.)\.[^.]+$/, '')
  return /^(?:index|__init__|mod)$/.test(stem) ? nameOf(folderOf(path).slice(0, -1)) : stem
}

/** The files of the index that a literal in the file refers to. */
export function referredBy(
  path: string,
  literal: string,
  index: NameIndex,
  has: (path: string) => boolean,
): readonly string[] {
  const isRelative = /^\.{1,2}(?:\/|$)/.test(literal)
  if (/\*|\$\{/.test(literal)) return byPattern(path, literal, isRelative, index)
  if (isRelative) {
    const found = resolveFrom(folderOf(path), literal, has)
    return found === undefined ? [] : [found]
  }
  const parts = literal.replace(/^\/+/, '').split('/')
  const last = parts.at(-1) ?? ''
  const stem = /\.(?:[cm]?[jt]sx?|pyi?|rs|vue|svelte)$/.test(last)
    ? last.replace(/\.[^.]+$/, '')
    : last
  const options = new Set([...(index.byName.get(last) ?? []), ...(index.byName.get(stem) ?? [])])
  return [...options].filter((option) => endsLike(option, parts, stem))
}

/** Whether the last parts match; the first may be an alias. A single name must match as a whole. */
function endsLike(path: string, parts: readonly string[], stem: string): boolean {
  const name = nameOf(path)
  const last = parts.at(-1) ?? ''
  if (parts.length === 1) return name === last || (last.includes('.') && stemOf(path) === stem)
  if (name !== last && stemOf(path) !== stem) return false
  const folders = folderOf(path).split('/').slice(0, -1)
  if (name !== last && /^(?:index|__init__|mod)\./.test(name)) folders.pop()
  const above = parts.slice(0, -1)
  const needed = /^[@~#]/.test(above[0] ?? '') ? above.slice(1) : above
  return needed.every((part, at) => folders[folders.length - needed.length + at] === part)
}

/** A literal with a placeholder or a star: for example all languages in a folder `locales`. */
function byPattern(
  path: string,
  literal: string,
  isRelative: boolean,
  { all, patterns }: NameIndex,
): readonly string[] {
  const plain = literal.replaceAll(/\$\{[^}]*\}/g, '*').replaceAll(/\*+/g, '*')
  const whole = normalizePath(isRelative ? `${folderOf(path)}${plain}` : plain)
  if (whole === undefined || whole.split('*').length - 1 > starsMax) return []
  // A pattern with only a star and an extension would match any file.
  if (!/[\w-]\/|^\w/.test(whole)) return []
  const key = `${isRelative ? '/' : ''}${whole}`
  const known = patterns.get(key)
  if (known !== undefined || patterns.size >= patternsMax) return known ?? []
  const pattern = new RegExp(
    `${isRelative ? '^' : '(?:^|/)'}${whole
      .split('*')
      .map((part) => part.replaceAll(/[.+?^$()|[\]{}\\]/g, String.raw`\$&`))
      .join('[^/]*')}${extensionOf(whole) === '' ? String.raw`(?:\.\w+)?` : ''}$`,
  )
  const start = isRelative ? (whole.split('*', 1)[0] ?? '') : ''
  const found = all.filter((option) => option.startsWith(start) && pattern.test(option))
  patterns.set(key, found)
  return found
}

export const hasIn =
  (files: ReadonlyMap<string, TreeFile>) =>
  (path: string): boolean =>
    files.has(path)
