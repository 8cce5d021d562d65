/**
 * Creates a lockfile for a project without one: its manager resolves the versions once, in the sandbox, from
 * the operator's registries. The lockfile is stored in the state folder, never in the repository, and reused
 * as long as the manifests stay the same.
 */

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type TreeFile, type TreeReader } from '../../engine/index.ts'
import { type DependencyItem, type Lockfile, lockfiles } from '../../evidence/index.ts'
import { defined, type TreeId } from '../../loop/index.ts'
import { findManager } from './find-manager.ts'
import { type InstallOptions, withInstallContext } from './install-layer.ts'
import { createLayerFolder, removeLayerFolder } from './layer-store.ts'
import { type LayerPlan, selectFiles } from './plan-layer.ts'
import { operatorRegistries } from './registry/operator-registries.ts'
import { registryUrl } from './registry/registry-endpoint.ts'
import { createDependencyError, runManager } from './run-manager.ts'

/** A project that declares dependencies but has no lockfile. */
export interface UnresolvedProject {
  readonly plan: LayerPlan
  readonly item: DependencyItem
  /** A digest of everything that affects the resolution. */
  readonly key: string
}

export interface ResolvedLockfile {
  readonly at: string
  readonly file: string
  readonly text: string
  readonly digest: string
}

const commands: Readonly<Record<string, readonly string[]>> = {
  npm: [
    'install',
    '--package-lock-only',
    '--omit-lockfile-registry-resolved',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ],
  pnpm: ['install', '--lockfile-only', '--ignore-scripts'],
  cargo: ['generate-lockfile'],
}

const manifestSchema = z.object({
  packageManager: z.string().optional().catch(undefined),
  dependencies: z.record(z.string(), z.unknown()).optional(),
  devDependencies: z.record(z.string(), z.unknown()).optional(),
  optionalDependencies: z.record(z.string(), z.unknown()).optional(),
  workspaces: z.unknown().optional(),
})

/** Undefined: it declares none, or we cannot resolve them. */
export async function findUnresolvedProject(
  reader: TreeReader,
  tree: TreeId,
): Promise<UnresolvedProject | undefined> {
  const listed = await reader.list(tree)
  const lockfile = await chooseLockfile(reader, tree, listed)
  if (lockfile === undefined) return undefined
  const registries = operatorRegistries(lockfile.manager)
  const reading = { text: '', paths: [], foreign: [], approvable: [] }
  const files = selectFiles({ lockfile, folder: '', text: '', reading }, listed)
  const wanted = manifestSchema.safeParse(await readJson(reader, tree, 'package.json')).data
  const plan: LayerPlan = {
    lockfile,
    folder: '',
    files,
    reading,
    registries,
    missing: [],
    outside: [],
    ...defined({ wantedManager: wanted?.packageManager }),
  }
  const hash = createHash('sha256').update(`resolve 1 ${lockfile.manager}\n`)
  for (const [path, { content }] of [...files].toSorted(([one], [two]) => (one < two ? -1 : 1))) {
    hash.update(`${content} ${path}\0`)
  }
  const key = hash.digest('hex')
  const [manifest = ''] = lockfile.manifestFiles
  const text = `the dependencies of ${manifest}, in the versions that ${lockfile.manager} chooses now`
  return { plan, key, item: { kind: 'resolve-dependencies', id: `resolve:${key}`, text } }
}

async function chooseLockfile(
  reader: TreeReader,
  tree: TreeId,
  listed: ReadonlyMap<string, TreeFile>,
): Promise<Lockfile | undefined> {
  const findByManager = (manager: string): Lockfile | undefined =>
    lockfiles.find((one) => one.manager === manager)
  const { data } = manifestSchema.safeParse(await readJson(reader, tree, 'package.json'))
  if (data !== undefined) {
    const all = [data.dependencies, data.devDependencies, data.optionalDependencies]
    const names = all.flatMap((one) => Object.keys(one ?? {}))
    if (names.length === 0 && data.workspaces === undefined) return undefined
    const isPnpm =
      data.packageManager?.startsWith('pnpm@') === true || listed.has('pnpm-workspace.yaml')
    return findByManager(isPnpm ? 'pnpm' : 'npm')
  }
  // There is a lockfile; it was not installed because the packages are in the commit.
  if (listed.has('Cargo.lock')) return undefined
  const cargo = Buffer.from((await reader.read(tree, 'Cargo.toml')) ?? []).toString()
  return /^\[(?:workspace\.|dev-|build-)?dependencies/m.test(cargo)
    ? findByManager('cargo')
    : undefined
}

async function readJson(reader: TreeReader, tree: TreeId, path: string): Promise<unknown> {
  try {
    return JSON.parse(Buffer.from((await reader.read(tree, path)) ?? []).toString())
  } catch {
    return undefined
  }
}

const resolvedSchema: z.ZodType<ResolvedLockfile> = z.object({
  at: z.iso.datetime(),
  file: z.string(),
  text: z.string(),
  digest: z.string(),
})

const resolvedPath = (stateFolder: string, key: string): string =>
  join(stateFolder, 'resolved', `${key}.json`)

/** Reuses the stored lockfile if there is one. */
export async function resolveLockfile(
  { plan, key }: UnresolvedProject,
  stateFolder: string,
  options: InstallOptions,
): Promise<ResolvedLockfile> {
  const path = resolvedPath(stateFolder, key)
  if (existsSync(path)) {
    const known = resolvedSchema.safeParse(JSON.parse(await readFile(path, 'utf8')))
    if (known.success) return known.data
  }
  const { lockfile } = plan
  const manager = await findManager(plan, options.projects)
  const folder = await createLayerFolder(options.store)
  try {
    const written = await withInstallContext(plan, manager, options, folder, async (context) => {
      await runManager(context, commands[lockfile.manager] ?? [])
      return readFile(join(folder, lockfile.file), 'utf8').catch(() => undefined)
    })
    if (written === undefined)
      throw createDependencyError(
        `${lockfile.manager} did not write ${lockfile.file}. Commit a lockfile`,
      )
    const text = restoreAddresses(written, plan)
    const digest = createHash('sha256').update(text).digest('hex')
    const resolved = { at: new Date().toISOString(), file: lockfile.file, text, digest }
    await mkdir(join(stateFolder, 'resolved'), { recursive: true, mode: 0o700 })
    await writeFile(`${path}.${process.pid}`, JSON.stringify(resolved), { mode: 0o600 })
    await rename(`${path}.${process.pid}`, path)
    return resolved
  } finally {
    await removeLayerFolder(options.store, folder)
  }
}

/** Replaces endpoint URLs, which are valid only during the install, by those of the registries. */
function restoreAddresses(text: string, { registries }: LayerPlan): string {
  return registries.routes.reduce(
    (all, { prefix, upstream }) => all.replaceAll(`${registryUrl}${prefix}/`, upstream),
    text,
  )
}

/** Returns a reader of the same trees, with the lockfile added at the root of one of them. */
export function withLockfile(
  reader: TreeReader,
  tree: TreeId,
  { file, text, digest }: ResolvedLockfile,
): TreeReader {
  return {
    ...reader,
    async list(of) {
      const listed = await reader.list(of)
      return of === tree ? new Map([...listed, [file, { content: digest, kind: 'file' }]]) : listed
    },
    async read(of, path, bytesMax) {
      return of === tree && path === file ? Buffer.from(text) : reader.read(of, path, bytesMax)
    },
  }
}
