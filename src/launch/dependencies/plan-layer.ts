/**
 * Plans what a dependency layer is installed from: the lockfiles of a tree and the files that they need.
 * The folder in which a package manager runs contains nothing else of the tree.
 */

import { posix } from 'node:path'
import { z } from 'zod'
import { type TreeFile, type TreeReader } from '../../engine/index.ts'
import { type Lockfile, lockfiles } from '../../evidence/index.ts'
import { defined, type TreeId } from '../../loop/index.ts'
import { managerFolder } from './manager-package.ts'
import {
  collectSources,
  isInsideRepository,
  type LockfileReading,
} from './registry/lockfile-reading.ts'
import { type ManagerRegistries, operatorRegistries } from './registry/operator-registries.ts'
import { cacheFolder, storeFolder } from './run-manager.ts'

export interface LayerPlan {
  readonly lockfile: Lockfile
  /** The folder of the lockfile in the tree; empty: the root. */
  readonly folder: string
  /** The files to write into the install folder, by path in the tree. */
  readonly files: ReadonlyMap<string, TreeFile>
  readonly reading: LockfileReading
  readonly registries: ManagerRegistries
  /** Paths of local packages that the lockfile refers to and the tree lacks. */
  readonly missing: readonly string[]
  /** Paths of local packages outside the repository. */
  readonly outside: readonly string[]
  /** The text of the project's `.npmrc`. */
  readonly npmrc?: string
  /** The commit has Yarn's `.pnp.cjs`: packages are in the archives it names, not in `node_modules`. */
  readonly isPnp?: true
  /** `packageManager` in its manifest: `pnpm@9.1.0`. */
  readonly wantedManager?: string
}

/** Lockfiles in these folders do not belong to the project itself. */
const ignoredFolders =
  /(^|\/)(node_modules|vendor|third_party|fixtures?|__fixtures__|tests?|__tests__|examples?|docs?|\.[^/]+)\//
const depthMax = 2
const plansMax = 8
const filesMax = 5000

/** Files that show that the project is at the root, even without a lockfile. */
const topManifests: Readonly<Record<string, readonly string[]>> = {
  python: ['pyproject.toml', 'setup.py', 'setup.cfg'],
  rust: ['Cargo.toml'],
  go: ['go.mod'],
}

/** Per stack, a lockfile at the root wins; lockfiles in sub-folders count only if there is none. */
export async function planLayer(reader: TreeReader, tree: TreeId): Promise<readonly LayerPlan[]> {
  const listed = await reader.list(tree)
  const found = findLockfiles(listed)
  const stacks = [...new Set(found.map(({ lockfile }) => lockfile.stack))]
  const chosen = stacks.flatMap((stack) => {
    const ofStack = found.filter(({ lockfile }) => lockfile.stack === stack)
    const atRoot = ofStack.filter(({ folder }) => folder === '')
    if (atRoot.length > 0) return atRoot
    // The project is at the root; others belong to tools, such as `profiler/requirements.txt`.
    const isAtRoot = (topManifests[stack] ?? []).some((name) => listed.has(name))
    return isAtRoot ? [] : ofStack
  })
  const needed = chosen.filter((one) => !isVendored(one, listed))
  return Promise.all(
    needed.slice(0, plansMax).map((one) => planLockfile(reader, tree, one, listed)),
  )
}

/** Its packages are committed in `vendor`, where go and cargo find them. */
function isVendored(
  { lockfile, folder }: Pick<LayerPlan, 'lockfile' | 'folder'>,
  listed: ReadonlyMap<string, TreeFile>,
): boolean {
  const vendor = `${posix.join(folder, 'vendor')}/`
  if (lockfile.manager === 'go') return listed.has(`${vendor}modules.txt`)
  if (lockfile.manager !== 'cargo') return false
  const hasSettings = ['config.toml', 'config'].some((name) =>
    listed.has(posix.join(folder, '.cargo', name)),
  )
  const isPackage = (path: string): boolean =>
    path.startsWith(vendor) && path.endsWith('/.cargo-checksum.json')
  return hasSettings && [...listed.keys()].some(isPackage)
}

async function planLockfile(
  reader: TreeReader,
  tree: TreeId,
  { lockfile, folder }: Pick<LayerPlan, 'lockfile' | 'folder'>,
  listed: ReadonlyMap<string, TreeFile>,
): Promise<LayerPlan> {
  const readText = async (name: string): Promise<string | undefined> => {
    const content = await reader.read(tree, posix.join(folder, name), lockfileBytesMax)
    return content === undefined ? undefined : Buffer.from(content).toString()
  }
  const text = (await readText(lockfile.file)) ?? ''
  const registries = operatorRegistries(lockfile.manager)
  // Go's lockfile contains only digests.
  const read = lockfile.manager === 'go' ? ((await readText('go.mod')) ?? '') : text
  const reading = await readLockfile(registries, read)
  const pnp = pnpLockfile(lockfile, folder, listed)
  const files = selectFiles({ lockfile, folder, text, reading }, listed)
  const inside = reading.paths.filter((path) => isInsideRepository(path, folder))
  const npmrc = lockfile.stack === 'node' ? await readText('.npmrc') : undefined
  const manifest =
    lockfile.stack === 'node' ? parseJson((await readText('package.json')) ?? '') : {}
  const { packageManager } = managerSchema.safeParse(manifest).data ?? {}
  return {
    lockfile: pnp ?? lockfile,
    ...(pnp === undefined ? {} : { isPnp: true }),
    folder,
    files,
    reading,
    registries,
    missing: findMissing(
      inside.map((path) => posix.join(folder, path)),
      listed,
    ),
    outside: [...reading.paths, ...(reading.links ?? [])].filter(
      (path) => !isInsideRepository(path, folder),
    ),
    ...defined({ npmrc, wantedManager: packageManager }),
  }
}

/** With `.pnp.cjs`, an install adds packages that must be unpacked, and the archives if none are committed. */
function pnpLockfile(
  lockfile: Lockfile,
  folder: string,
  listed: ReadonlyMap<string, TreeFile>,
): Lockfile | undefined {
  if (lockfile.manager !== 'yarn' || !listed.has(posix.join(folder, '.pnp.cjs'))) return undefined
  const cache = `${posix.join(folder, '.yarn/cache')}/`
  const hasCache = [...listed.keys()].some((path) => path.startsWith(cache))
  return { ...lockfile, installs: ['.yarn/unplugged', ...(hasCache ? [] : ['.yarn/cache'])] }
}

/** The lockfile is untrusted data: one that makes the reader fail is refused like an unreadable one. */
async function readLockfile(registries: ManagerRegistries, text: string): Promise<LockfileReading> {
  try {
    return await registries.read(text)
  } catch {
    return { ...collectSources().read(text), problem: 'it is nested too deep' }
  }
}

const managerSchema = z.object({ packageManager: z.string().optional().catch(undefined) })

const lockfileBytesMax = 16 * 1024 * 1024

/** In each folder, the first lockfile of a stack. */
function findLockfiles(
  listed: ReadonlyMap<string, TreeFile>,
): readonly Pick<LayerPlan, 'lockfile' | 'folder'>[] {
  const found = new Map<string, Pick<LayerPlan, 'lockfile' | 'folder'>>()
  for (const lockfile of lockfiles) {
    for (const path of listed.keys()) {
      const isMatch = path === lockfile.file || path.endsWith(`/${lockfile.file}`)
      if (!isMatch || ignoredFolders.test(path) || path.split('/').length > depthMax + 1) continue
      const folder = path.slice(0, Math.max(0, path.length - lockfile.file.length - 1))
      const key = `${lockfile.stack} ${folder}`
      if (!found.has(key)) found.set(key, { lockfile, folder })
    }
  }
  return [...found.values()]
}

export interface LockfileInput {
  readonly lockfile: Lockfile
  readonly folder: string
  readonly text: string
  readonly reading: LockfileReading
}

/** Files of workspace packages that managers read. Code among them runs only in the sandbox. */
const patterns: Readonly<Record<string, RegExp>> = {
  node: /(^|\/)package\.json$|^\.pnp\.cjs$|\.patch$|^\.yarn\/(patches|plugins|releases|cache)\//,
  python:
    /(^|\/)(pyproject\.toml|[^/]*(requirements|constraints)[^/]*\.txt|requirements\/[^/]+\.txt)$/i,
  rust: /(^|\/)(Cargo\.toml|build\.rs)$|\.rs$/,
  go: /(^|\/)(go\.mod|go\.sum)$/,
}

/** Folders that we create in a layer: files of a repository are never written there. */
const reservedFolders = new RegExp(
  `(^|/)(${[managerFolder, cacheFolder, storeFolder].map((name) => name.replace('.', '\\.')).join('|')})/`,
)

/** Selects the files to write into the install folder. */
export function selectFiles(
  { lockfile, folder, text, reading }: LockfileInput,
  listed: ReadonlyMap<string, TreeFile>,
): ReadonlyMap<string, TreeFile> {
  const files = new Map<string, TreeFile>()
  const prefix = folder === '' ? '' : `${folder}/`
  const add = (path: string): void => {
    const file = listed.get(path)
    const isUsed = file !== undefined && (file.kind === 'file' || file.kind === 'executable')
    if (isUsed && !reservedFolders.test(path) && path.startsWith(prefix) && files.size < filesMax)
      files.set(path, file)
  }
  for (const name of [lockfile.file, ...lockfile.manifestFiles]) add(prefix + name)
  const pattern = patterns[lockfile.stack]
  for (const path of listed.keys()) {
    const inner = path.slice(prefix.length)
    if (pattern?.test(inner) === true && !/(^|\/)node_modules\//.test(inner)) add(path)
  }
  for (const path of reading.paths) add(posix.join(prefix, path))
  if (lockfile.manager === 'npm') {
    for (const path of listPrograms(text)) add(posix.join(prefix, path))
  }
  return files
}

const npmLockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({ bin: z.record(z.string(), z.string()).optional().catch(undefined) }),
  ),
})

function findMissing(
  named: readonly string[],
  listed: ReadonlyMap<string, TreeFile>,
): readonly string[] {
  const existing = new Set(listed.keys())
  for (const path of listed.keys()) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at)
      if (existing.has(folder)) break
      existing.add(folder)
    }
  }
  return [...new Set(named)].filter((path) => path !== '.' && !existing.has(path))
}

/** Lists programs of local packages: npm links only to programs that exist. They are not run. */
function listPrograms(text: string): readonly string[] {
  const parsed = npmLockfile.safeParse(parseJson(text))
  return Object.entries(parsed.data?.packages ?? {}).flatMap(([folder, { bin }]) =>
    /(^|\/)node_modules(\/|$)/.test(folder)
      ? []
      : Object.values(bin ?? {}).map((path) => posix.join(folder, path)),
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
