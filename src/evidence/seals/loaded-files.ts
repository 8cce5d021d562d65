/**
 * Files that sealed things of the base start or load: `scripts/test.mjs`, which `npm test` starts; the setup
 * file that vitest.config.ts names; what such a script imports from beside it. Of the product itself nothing
 * is sealed this way, else no fault in it could be mended: what lies in its folders counts only where a
 * test script starts it or a setup key names it.
 */

import type { TreeId } from '../../loop/index.ts'
import { familyOf } from '../mask-code.ts'
import type { TreeFile, TreeReader } from '../parts.ts'
import { filesOfCommandLine, scriptsOfCommandLine } from './command-files.ts'
import { isObject, parseJsonObject, valueAt } from './json-text.ts'
import { isProduct, productFolders } from './product-folders.ts'
import type { SealKind } from './sealed-change.ts'

const packagesMax = 50
const configsMax = 100
const scriptsMax = 200
const bytesMax = 256 * 1024

/** Scripts that judge. `build` is asked for as well, but may start what is the product. */
const judging =
  /^(?:pre|post)?(?:test|tests|check|checks|lint|verify|ci|types?|typecheck|type-check|coverage|cov|e2e|spec|unit|integration|audit|security|validate)(?:[:._-].*)?$/
const building = /^(?:pre|post)?build(?:[:._-].*)?$/

const configNames =
  /(?:^|\/)(?:[\w-]+\.(?:config|workspace|setup)\.[cm]?[jt]sx?|\.(?:mocharc|eslintrc|taprc|nycrc|c8rc|babelrc|swcrc)(?:\.\w+)?|jest\.config\.json|[jt]sconfig[\w.-]*\.json|package\.json)$/

/** Keys whose values are files that run before or around the tests, or that the configuration goes on in. */
const loadKeys =
  /["']?(?:setupFiles|setupFilesAfterEnv|globalSetup|globalTeardown|setup|require|import|file|preset|extends|runner|testRunner|testEnvironment|environment|reporters?|resolver|transform|testSequencer|snapshotSerializers|snapshotResolver|watchPlugins|plugins|loader|preload|config|configFile)["']?\s*:\s*(\[[^\]]{0,2000}\]|\{[^}]{0,2000}\}|["'`][^"'`\n]{1,300}["'`])/g
const quoted = /["'`]([^"'`\n]{1,300})["'`]/g
const imports =
  /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.{1,2}\/[^"'\n]{1,300})["']|^\s*(?:source|\.)\s+["']?(\.{0,2}[\w./-]{1,300})/gm

const toolFolders =
  /^(?:scripts?|tools?|tooling|ci|build|hack|dev|etc|config|configs|\.github|\.ci|bin)\//

const endings = [
  '',
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.cts',
  '.json',
  '.sh',
  '/index.js',
  '/index.ts',
]

export async function findLoaded(
  reader: TreeReader,
  base: TreeId,
  files: ReadonlyMap<string, TreeFile>,
  named: readonly string[],
): Promise<ReadonlyMap<string, SealKind>> {
  const loaded = new Map<string, SealKind>()
  const read = async (path: string): Promise<string> => {
    const bytes = await reader.read(base, path, bytesMax)
    return bytes === undefined ? '' : new TextDecoder().decode(bytes)
  }
  const configs = [...files.keys()].filter((path) => isOurs(path) && configNames.test(path))
  const product = new Set<string>()
  const packages = configs.filter((path) => /(?:^|\/)package\.json$/.test(path)).toSorted(byDepth)
  for (const path of packages.slice(0, packagesMax)) {
    const text = await read(path)
    const manifest = parseJsonObject(text, false) ?? {}
    for (const file of productFiles(manifest, folderOf(path))) product.add(file)
    for (const file of startedBy(text, folderOf(path), files)) loaded.set(file, 'script')
    for (const file of packagesForTests(manifest, folderOf(path), files)) loaded.set(file, 'test')
  }
  for (const path of configs.toSorted(byDepth).slice(0, configsMax)) {
    for (const file of namedBy(await read(path), folderOf(path), files)) {
      if (!loaded.has(file)) loaded.set(file, 'configuration')
    }
  }
  // Where products have a folder of their own, what lies outside of it is none.
  const isApart = [...files.keys()].some((path) => isProduct(path) && familyOf(path) !== undefined)
  const isTool = (path: string): boolean =>
    toolFolders.test(path) || (isApart && isOurs(path) && !isProduct(path) && !product.has(path))
  await followImports({ read, files, loaded, isTool }, [...loaded.keys(), ...named])
  return loaded
}

const forTests = /(?:^|[/@._-])(?:tests?|testing|spec|fixtures?|mocks?|helpers?)(?:[/._-]|$)/i

/** Packages of the repository that are there for tests, by what they are called. */
function packagesForTests(
  manifest: object,
  folder: string,
  files: ReadonlyMap<string, TreeFile>,
): readonly string[] {
  const value = valueAt(manifest as Parameters<typeof valueAt>[0], ['devDependencies'])
  if (!isObject(value)) return []
  const folders = Object.entries(value).flatMap(([name, from]) => {
    const at =
      typeof from === 'string' ? /^(?:file|link|portal):(?:\.\/)?(.+)$/.exec(from)?.[1] : ''
    return at !== undefined && at !== '' && forTests.test(name) ? [`${folder}${at}/`] : []
  })
  return [...files.keys()].filter(
    (path) => folders.some((one) => path.startsWith(one)) && !path.endsWith('/package.json'),
  )
}

const isOurs = (path: string): boolean =>
  !/(?:^|\/)(?:node_modules|vendor|\.venv|dist)\//.test(path)

const byDepth = (a: string, b: string): number => a.split('/').length - b.split('/').length

function startedBy(
  text: string,
  folder: string,
  files: ReadonlyMap<string, TreeFile>,
): readonly string[] {
  const manifest = parseJsonObject(text, false)
  const scripts = manifest === undefined ? undefined : manifest['scripts']
  if (manifest === undefined || !isObject(scripts)) return []
  const lines = new Map(
    Object.entries(scripts).flatMap(([name, line]) =>
      typeof line === 'string' ? [[name, line] as const] : [],
    ),
  )
  const chosen = new Set([...lines.keys()].filter((name) => judging.test(name)))
  const known = new Set(lines.keys())
  // A set that grows while it is walked: scripts that scripts start.
  for (const name of chosen) {
    for (const other of scriptsOfCommandLine(lines.get(name) ?? '', known)) {
      if (!building.test(other) && other !== 'start') chosen.add(other)
    }
  }
  const product = productFiles(manifest, folder)
  const judge = [...chosen].flatMap((name) => filesOfCommandLine(lines.get(name) ?? ''))
  const build = [...lines]
    .flatMap(([name, line]) => (building.test(name) ? filesOfCommandLine(line) : []))
    .filter((path) => !productFolders.test(`/${path}`))
  return [...judge, ...build].flatMap((path) => {
    const found = resolve(path, folder, files) ?? resolve(path, '', files)
    return found === undefined || product.has(found) ? [] : [found]
  })
}

/** What the package is for others. */
function productFiles(manifest: object, folder: string): ReadonlySet<string> {
  const texts: string[] = []
  for (const key of ['main', 'module', 'browser', 'bin', 'exports']) {
    const value = valueAt(manifest as Parameters<typeof valueAt>[0], [key])
    texts.push(...[...JSON.stringify(value ?? '').matchAll(quoted)].map((found) => found[1] ?? ''))
  }
  return new Set(texts.map((path) => `${folder}${path.replace(/^\.\//, '')}`))
}

function namedBy(
  text: string,
  folder: string,
  files: ReadonlyMap<string, TreeFile>,
): readonly string[] {
  const named = [...text.matchAll(loadKeys)].flatMap((found) =>
    [...(found[1] ?? '').matchAll(quoted)].map((inner) => inner[1] ?? ''),
  )
  const imported = [...text.matchAll(imports)]
    .map((found) => found[1] ?? '')
    .filter((path) => !productFolders.test(`/${path}`))
  return [...named, ...imported].flatMap((path) => {
    const found = resolve(path.replace(/^<rootDir>\//, './'), folder, files)
    return found === undefined ? [] : [found]
  })
}

/** What scripts import that is no product either. */
async function followImports(
  {
    read,
    files,
    loaded,
    isTool,
  }: {
    readonly read: (path: string) => Promise<string>
    readonly files: ReadonlyMap<string, TreeFile>
    readonly loaded: Map<string, SealKind>
    readonly isTool: (path: string) => boolean
  },
  first: readonly string[],
): Promise<void> {
  const queue = first.filter((path) => isTool(path) && files.has(path))
  const seen = new Set(queue)
  for (const path of queue) {
    if (seen.size > scriptsMax) return
    for (const found of (await read(path)).matchAll(imports)) {
      // A shell reads from where it was started.
      const to =
        resolve(found[1] ?? found[2] ?? '', folderOf(path), files) ??
        resolve(found[2] ?? '', '', files)
      if (to === undefined || seen.has(to) || !isTool(to)) continue
      seen.add(to)
      queue.push(to)
      loaded.set(to, 'script')
    }
  }
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

function resolve(
  path: string,
  folder: string,
  files: ReadonlyMap<string, TreeFile>,
): string | undefined {
  if (path === '' || path.startsWith('/') || path.length > 500) return undefined
  const parts: string[] = []
  for (const part of `${folder}${path}`.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '.' && part !== '') parts.push(part)
  }
  const plain = parts.join('/')
  const ending = endings.find((end) => files.has(`${plain}${end}`))
  return ending === undefined ? undefined : `${plain}${ending}`
}
