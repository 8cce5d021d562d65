/**
 * What a dependency layer is installed from: of one tree, its lockfiles and what lies beside them. Nothing
 * else of the tree is ever in the folder in which a package manager runs.
 */

import { posix } from 'node:path'
import { z } from 'zod'
import { type TreeFile, type TreeReader } from '../../engine/index.ts'
import { type Lockfile, lockfiles } from '../../evidence/index.ts'
import { defined, type TreeId } from '../../loop/index.ts'
import { managerFolder } from './bring-manager.ts'
import {
  collectSources,
  isInsideRepository,
  type LockfileReading,
} from './registry/lockfile-reading.ts'
import { type ManagerRegistries, operatorRegistries } from './registry/operator-registries.ts'
import { cacheFolder, storeFolder } from './run-manager.ts'

export interface LayerPlan {
  readonly lockfile: Lockfile
  /** The folder of the lockfile in the tree; empty: its top. */
  readonly folder: string
  /** What is put into the folder of the install, by paths in the tree. */
  readonly files: ReadonlyMap<string, TreeFile>
  readonly reading: LockfileReading
  readonly registries: ManagerRegistries
  /** Where packages that the lockfile takes from paths should be, and are not. */
  readonly missing: readonly string[]
  /** Paths of packages that lead out of the repository. */
  readonly outside: readonly string[]
  /** Of the project's `.npmrc`. */
  readonly npmrc?: string
  /** The commit has Yarn's `.pnp.cjs`: packages are in archives, which it names, and not in `node_modules`. */
  readonly isPnp?: true
  /** `packageManager` of its manifest: `pnpm@9.1.0`. */
  readonly wantedManager?: string
}

/** Below them nothing is installed for the project itself. */
const notOurs =
  /(^|\/)(node_modules|vendor|third_party|fixtures?|__fixtures__|tests?|__tests__|examples?|docs?|\.[^/]+)\//
const depthMax = 2
const plansMax = 8
const filesMax = 5000

/** What says that a project itself, without a lockfile, is at the top. */
const topManifests: Readonly<Record<string, readonly string[]>> = {
  python: ['pyproject.toml', 'setup.py', 'setup.cfg'],
  rust: ['Cargo.toml'],
  go: ['go.mod'],
}

/** A stack's lockfile at the top counts; only where there is none, those of folders below. */
export async function planLayer(reader: TreeReader, tree: TreeId): Promise<readonly LayerPlan[]> {
  const listed = await reader.list(tree)
  const found = lockfilesIn(listed)
  const stacks = [...new Set(found.map(({ lockfile }) => lockfile.stack))]
  const chosen = stacks.flatMap((stack) => {
    const ofStack = found.filter(({ lockfile }) => lockfile.stack === stack)
    const top = ofStack.filter(({ folder }) => folder === '')
    if (top.length > 0) return top
    // Of tools beside the project, such as `profiler/requirements.txt`: the project is at the top.
    const isAtTop = (topManifests[stack] ?? []).some((name) => listed.has(name))
    return isAtTop ? [] : ofStack
  })
  const needed = chosen.filter((one) => !isVendored(one, listed))
  return Promise.all(needed.slice(0, plansMax).map((one) => planFor(reader, tree, one, listed)))
}

/** Its packages are in the commit: go and cargo take them from `vendor`. */
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

async function planFor(
  reader: TreeReader,
  tree: TreeId,
  { lockfile, folder }: Pick<LayerPlan, 'lockfile' | 'folder'>,
  listed: ReadonlyMap<string, TreeFile>,
): Promise<LayerPlan> {
  const textOf = async (name: string): Promise<string | undefined> => {
    const content = await reader.read(tree, posix.join(folder, name), lockfileBytesMax)
    return content === undefined ? undefined : Buffer.from(content).toString()
  }
  const text = (await textOf(lockfile.file)) ?? ''
  const registries = operatorRegistries(lockfile.manager)
  // Go's lockfile has nothing but digests.
  const read = lockfile.manager === 'go' ? ((await textOf('go.mod')) ?? '') : text
  const reading = await readLockfile(registries, read)
  const pnp = pnpLockfile(lockfile, folder, listed)
  const files = filesFor({ lockfile, folder, text, reading }, listed)
  const inside = reading.paths.filter((path) => isInsideRepository(path, folder))
  const npmrc = lockfile.stack === 'node' ? await textOf('.npmrc') : undefined
  const manifest = lockfile.stack === 'node' ? parseJson((await textOf('package.json')) ?? '') : {}
  const { packageManager } = wanted.safeParse(manifest).data ?? {}
  return {
    lockfile: pnp ?? lockfile,
    ...(pnp === undefined ? {} : { isPnp: true }),
    folder,
    files,
    reading,
    registries,
    missing: missingIn(
      inside.map((path) => posix.join(folder, path)),
      listed,
    ),
    outside: [...reading.paths, ...(reading.links ?? [])].filter(
      (path) => !isInsideRepository(path, folder),
    ),
    ...defined({ npmrc, wantedManager: packageManager }),
  }
}

/** What a commit with `.pnp.cjs` lacks: packages that have to be unpacked, and the archives if it has none. */
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

/** Whatever is in it, it is data: one that cannot be handled is refused like one that cannot be read. */
async function readLockfile(registries: ManagerRegistries, text: string): Promise<LockfileReading> {
  try {
    return await registries.read(text)
  } catch {
    return { ...collectSources().read(text), problem: 'it is nested too deep' }
  }
}

const wanted = z.object({ packageManager: z.string().optional().catch(undefined) })

const lockfileBytesMax = 16 * 1024 * 1024

/** In each folder the first of a stack. */
function lockfilesIn(
  listed: ReadonlyMap<string, TreeFile>,
): readonly Pick<LayerPlan, 'lockfile' | 'folder'>[] {
  const found = new Map<string, Pick<LayerPlan, 'lockfile' | 'folder'>>()
  for (const lockfile of lockfiles) {
    for (const path of listed.keys()) {
      const isIt = path === lockfile.file || path.endsWith(`/${lockfile.file}`)
      if (!isIt || notOurs.test(path) || path.split('/').length > depthMax + 1) continue
      const folder = path.slice(0, Math.max(0, path.length - lockfile.file.length - 1))
      const key = `${lockfile.stack} ${folder}`
      if (!found.has(key)) found.set(key, { lockfile, folder })
    }
  }
  return [...found.values()]
}

export interface Read {
  readonly lockfile: Lockfile
  readonly folder: string
  readonly text: string
  readonly reading: LockfileReading
}

/** What managers read of the packages of a workspace. What of it is code runs inside the sandbox only. */
const patterns: Readonly<Record<string, RegExp>> = {
  node: /(^|\/)package\.json$|^\.pnp\.cjs$|\.patch$|^\.yarn\/(patches|plugins|releases|cache)\//,
  python:
    /(^|\/)(pyproject\.toml|[^/]*(requirements|constraints)[^/]*\.txt|requirements\/[^/]+\.txt)$/i,
  rust: /(^|\/)(Cargo\.toml|build\.rs)$|\.rs$/,
  go: /(^|\/)(go\.mod|go\.sum)$/,
}

/** Folders that we make in a layer: a repository has nothing to put there. */
const ours = new RegExp(
  `(^|/)(${[managerFolder, cacheFolder, storeFolder].map((name) => name.replace('.', '\\.')).join('|')})/`,
)

/** What is put into the folder of the install. */
export function filesFor(
  { lockfile, folder, text, reading }: Read,
  listed: ReadonlyMap<string, TreeFile>,
): ReadonlyMap<string, TreeFile> {
  const files = new Map<string, TreeFile>()
  const prefix = folder === '' ? '' : `${folder}/`
  const add = (path: string): void => {
    const file = listed.get(path)
    const isUsed = file !== undefined && (file.kind === 'file' || file.kind === 'executable')
    if (isUsed && !ours.test(path) && path.startsWith(prefix) && files.size < filesMax)
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
    for (const path of programsOf(text)) add(posix.join(prefix, path))
  }
  return files
}

const npmLockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({ bin: z.record(z.string(), z.string()).optional().catch(undefined) }),
  ),
})

function missingIn(
  named: readonly string[],
  listed: ReadonlyMap<string, TreeFile>,
): readonly string[] {
  const there = new Set(listed.keys())
  for (const path of listed.keys()) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at)
      if (there.has(folder)) break
      there.add(folder)
    }
  }
  return [...new Set(named)].filter((path) => path !== '.' && !there.has(path))
}

/** Programs of packages that lie in the tree: npm links to those only that are there. Nothing runs them. */
function programsOf(text: string): readonly string[] {
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
