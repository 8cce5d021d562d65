/**
 * Compares the keys of a manifest, closed by default: some keys are free, some name dependencies, and every other key
 * may decide what a check sees.
 */

import type { Json } from '../../loop/index.ts'
import { compileGlob, matchesAny } from '../seals/glob.ts'
import { isObject, parseJsonObject } from '../seals/json-text.ts'
import { type KeyedRule, keyedRules } from '../seals/keyed-rules.ts'
import { parseStatements } from '../seals/statements.ts'

export interface ManifestKeys {
  readonly free: readonly string[]
  readonly dependencies: readonly string[]
  readonly closed: readonly string[]
}

export interface Manifest {
  readonly format: KeyedRule['format']
  readonly free: readonly (readonly string[])[]
  readonly dependencies: readonly (readonly string[])[]
}

const keysMax = 100_000

const words = (text: string): readonly string[] => text.trim().split(/\s+/)
const below = (tables: readonly string[], keys: readonly string[]): readonly string[] =>
  tables.flatMap((table) => keys.map((key) => `${table}.${key}`))

/** Keys that describe a package to people and registries. */
const packageMetadata = words(
  'version description keywords author contributors maintainers license licenses homepage repository bugs funding',
)
const projectMetadata = words(
  'version description keywords authors maintainers license license-files readme urls classifiers',
)
const poetryMetadata = [...projectMetadata, ...words('homepage repository documentation')]
const crateMetadata = words(
  'version description keywords categories authors license license-file homepage repository documentation readme',
)
const setupMetadata = words(
  'version description long_description long_description_content_type keywords author author_email maintainer maintainer_email license license_files url project_urls classifiers',
)

const freeKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ['package.json', packageMetadata],
  [
    'pyproject.toml',
    [...below(['project'], projectMetadata), ...below(['tool.poetry'], poetryMetadata)],
  ],
  ['setup.cfg', below(['metadata'], setupMetadata)],
  ['Cargo.toml', below(['package', 'workspace.package'], crateMetadata)],
])

/** An INI file lists its dependencies under keys of a section. */
const moreDependencies: ReadonlyMap<string, readonly string[]> = new Map([
  ['setup.cfg', ['options.install_requires', 'options.setup_requires', 'options.tests_require']],
])

const manifests = keyedRules.map((rule) => {
  const name = rule.files[0] ?? ''
  const dependencies = rule.keys.filter(({ kind }) => kind === 'dependencies').map(({ key }) => key)
  return {
    globs: rule.files.map((file) => compileGlob(file)),
    manifest: {
      format: rule.format,
      free: (freeKeys.get(name) ?? []).map((key) => key.split('.')),
      dependencies: [...dependencies, ...(moreDependencies.get(name) ?? [])].map((key) =>
        key.split('.').filter((part) => part !== '*'),
      ),
    },
  }
})

/** Undefined: it is not a manifest. */
export const findManifest = (path: string): Manifest | undefined =>
  manifests.find(({ globs }) => matchesAny(path, globs))?.manifest

/** Undefined: one of the two cannot be read by key. */
export function compareManifests(
  { format, free, dependencies }: Manifest,
  before: string,
  after: string,
  isFreeScript: (name: string) => boolean = () => false,
): ManifestKeys | undefined {
  const base = readValues(format, before)
  const tree = readValues(format, after)
  if (base === undefined || tree === undefined) return undefined
  const found = { free: [] as string[], dependencies: [] as string[], closed: [] as string[] }
  for (const [id, { path, value }] of new Map([...base, ...tree])) {
    if (base.get(id)?.value === tree.get(id)?.value && base.has(id) && tree.has(id)) continue
    if (value === undefined && base.has(id) && tree.has(id)) continue
    const [table, name] = path
    const isScript = format === 'json' && table === 'scripts' && path.length === 2
    if (startsLikeAny(path, free) || (isScript && isFreeScript(name ?? ''))) {
      found.free.push(path.join('.'))
    } else if (startsLikeAny(path, dependencies)) found.dependencies.push(path.join('.'))
    else found.closed.push(path.join('.'))
  }
  return found
}

const startsLikeAny = (path: readonly string[], starts: readonly (readonly string[])[]): boolean =>
  starts.some((start) => start.every((part, at) => path[at] === part))

interface Value {
  readonly path: readonly string[]
  readonly value?: string
}

/** Every value by its full path. An empty table counts as a value: some tools act on it. */
function readValues(
  format: Manifest['format'],
  text: string,
): ReadonlyMap<string, Value> | undefined {
  if (format === 'toml' || format === 'ini') {
    const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
    const statements = parseStatements(plain, format)
    return statements === undefined
      ? undefined
      : new Map(
          statements.map(({ type, id, path, value }) => [
            `${type} ${id}`,
            type === 'pair' ? { path, value } : { path },
          ]),
        )
  }
  const parsed = parseJsonObject(text, format === 'jsonc')
  return parsed === undefined ? undefined : flatten(parsed)
}

function flatten(top: Json): ReadonlyMap<string, Value> | undefined {
  const values = new Map<string, Value>()
  const open: { readonly path: readonly string[]; readonly value: Json }[] = [
    { path: [], value: top },
  ]
  for (const { path, value } of open) {
    if (open.length > keysMax) return undefined
    if (isObject(value) && (path.length === 0 || Object.keys(value).length > 0)) {
      // The order of conditions in `exports` and `imports` matters.
      const isOrdered = path[0] === 'exports' || path[0] === 'imports'
      if (isOrdered) {
        values.set(JSON.stringify(['order', ...path]), {
          path,
          value: Object.keys(value).join('\n'),
        })
      }
      for (const [key, inner] of Object.entries(value))
        open.push({ path: [...path, key], value: inner })
    } else values.set(JSON.stringify(['value', ...path]), { path, value: sortedJson(value) })
  }
  return values
}

/** Lists are compared as a whole; objects in them by key, in any order. */
const sortedJson = (value: Json): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
