/** Derives the work in npm packages: what the entries of package.json lead to, and what tsconfig.json includes. */

import type { Json } from '../../loop/index.ts'
import { isObject, type JsonObject, parseJsonObject } from '../seals/json-text.ts'
import { isForeign, toFileKind } from './file-kinds.ts'
import { hasIn, normalizePath, resolveFrom } from './references.ts'
import { type BaseFiles, type Root, rootAround } from './root.ts'

const packagesMax = 500

export interface NodePackage {
  /** With a trailing slash; `''`: the top. */
  readonly folder: string
  readonly name: string
  readonly manifest: JsonObject
  /** Files of the base that users of the package load, by the key that lists them. */
  readonly entries: ReadonlyMap<string, string>
}

const entryKeys = ['exports', 'main', 'module', 'browser', 'bin', 'types', 'typings', 'source']

export async function findPackages(base: BaseFiles): Promise<readonly NodePackage[]> {
  const manifests = [...base.files.keys()]
    .filter((path) => /(?:^|\/)package\.json$/.test(path) && !isForeign(path))
    .toSorted((a, b) => a.split('/').length - b.split('/').length)
    .slice(0, packagesMax)
  return Promise.all(
    manifests.map(async (path) => {
      const folder = path.slice(0, -'package.json'.length)
      const manifest = parseJsonObject(await base.read(path), false) ?? {}
      const name = typeof manifest['name'] === 'string' ? manifest['name'] : ''
      return { folder, name, manifest, entries: findEntries(manifest, folder, base) }
    }),
  )
}

function findEntries(
  manifest: JsonObject,
  folder: string,
  base: BaseFiles,
): ReadonlyMap<string, string> {
  const entries = new Map<string, string>()
  for (const key of entryKeys) {
    for (const text of textsIn(manifest[key])) {
      for (const file of findSources(text, folder, base)) {
        if (!entries.has(file)) entries.set(file, key)
      }
    }
  }
  return entries
}

function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
}

const outputs =
  /^(?:dist|build|lib|out|output|esm|cjs|es|umd|types|typings|\.next|module|commonjs)\//
const sourceFolders = ['src/', 'lib/', 'app/', 'source/', '']

/** An existing file, or the sources that a build would create it from: `dist/index.js` from `src/index.ts`. */
function findSources(text: string, folder: string, base: BaseFiles): readonly string[] {
  const plain = normalizePath(text)
  if (plain === undefined || plain === '' || plain === 'package.json') return []
  if (plain.includes('*')) return byStar(`${folder}${plain}`, base)
  const found = resolveFrom(folder, plain, hasIn(base.files))
  if (found !== undefined && toFileKind(found) !== 'data') return [found]
  let inner = plain
  while (outputs.test(inner)) inner = inner.replace(outputs, '')
  if (inner === plain) return []
  const stem = inner.replace(/(?:\.min)?(?:\.d)?\.[cm]?[jt]sx?$/, '')
  for (const sourceFolder of sourceFolders) {
    const source = resolveFrom(folder, `${sourceFolder}${stem}`, hasIn(base.files))
    if (source !== undefined && toFileKind(source) !== 'data') return [source]
  }
  return []
}

function byStar(pattern: string, base: BaseFiles): readonly string[] {
  const [before = '', after = ''] = pattern.split('*')
  const found = [...base.files.keys()].filter(
    (path) => path.startsWith(before) && path.endsWith(after) && toFileKind(path) !== 'data',
  )
  return before === '' ? [] : found
}

export async function nodeRoots(
  { folder, manifest, entries }: NodePackage,
  reached: ReadonlySet<string>,
  base: BaseFiles,
): Promise<readonly Root[]> {
  const at = `${folder}package.json`
  const named = [...entries].map(([path, key]) => rootAround(path, folder, `${key} of ${at}`))
  // The entries of other packages say nothing about a package without entries.
  const imported = (entries.size === 0 ? [] : [...reached])
    .filter((path) => path.startsWith(folder) && !entries.has(path))
    .map((path) => rootAround(path, folder, `imported by the entries of ${at}`))
  const published = textsIn(manifest['files']).flatMap((text) =>
    rootOfFolder(text, folder, base, `files of ${at}`),
  )
  const compiled = await compiledRoots(folder, base)
  const found = [...named, ...published, ...compiled, ...imported]
  return found.length > 0 ? found : conventionalRoots(folder, base, at)
}

/** The folder that a path or a pattern starts with, if it contains code. */
function rootOfFolder(text: string, folder: string, base: BaseFiles, why: string): readonly Root[] {
  const fixed = text.startsWith('!') ? undefined : normalizePath(text.replace(/[^/]*[*?[{].*$/, ''))
  if (fixed === undefined || fixed === '') return []
  const whole = `${folder}${fixed}/`
  return base.folders.has(whole) ? [{ folder: whole, deep: true, why }] : []
}

async function compiledRoots(folder: string, base: BaseFiles): Promise<readonly Root[]> {
  const names = ['tsconfig.json', 'tsconfig.build.json', 'tsconfig.app.json', 'jsconfig.json']
  const roots = await Promise.all(
    names.map(async (name) => {
      const config = parseJsonObject(await base.read(`${folder}${name}`), true) ?? {}
      const options = isObject(config['compilerOptions']) ? config['compilerOptions'] : {}
      return [
        ...textsIn(config['include']).map((text) => [text, 'include'] as const),
        ...textsIn(options['rootDir']).map((text) => [text, 'rootDir'] as const),
      ].flatMap(([text, key]) => rootOfFolder(text, folder, base, `${key} of ${folder}${name}`))
    }),
  )
  return roots.flat()
}

const conventional =
  'src lib app source sources server client components pages routes api web public styles assets cmd internal pkg'

function conventionalRoots(folder: string, base: BaseFiles, at: string): readonly Root[] {
  const why = `${at} lists no entry`
  const folders = conventional
    .split(' ')
    .map((name) => `${folder}${name}/`)
    .filter((name) => base.folders.has(name))
  const own: Root = { folder, deep: folders.length === 0, why }
  return [...folders.map((name): Root => ({ folder: name, deep: true, why })), own]
}

/** Folders of packages that others use only for development. */
export function packagesForTests(
  packages: readonly NodePackage[],
  imported: ReadonlySet<string>,
): readonly string[] {
  const users = (name: string, keys: readonly string[]): boolean =>
    packages.some(({ manifest }) =>
      keys.some((key) => {
        const table = manifest[key]
        return isObject(table) && Object.hasOwn(table, name)
      }),
    )
  return packages.flatMap(({ name, folder }) =>
    name !== '' &&
    folder !== '' &&
    !imported.has(name) &&
    users(name, ['devDependencies']) &&
    !users(name, ['dependencies', 'optionalDependencies', 'peerDependencies'])
      ? [folder]
      : [],
  )
}
