/**
 * A lockfile for a project that has none: its manager chooses the versions once, in the sandbox, from the
 * operator's registries. The lockfile is kept in the state folder, never in the repository, and used again for as
 * long as the manifests are the same.
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
import { type InstallOptions, installIn } from './install-layer.ts'
import { newLayerFolder, removeLayerFolder } from './layer-store.ts'
import { filesFor, type LayerPlan } from './plan-layer.ts'
import { operatorRegistries } from './registry/operator-registries.ts'
import { registryUrl } from './registry/registry-endpoint.ts'
import { refused, runManager } from './run-manager.ts'

/** A project that names dependencies, and no versions of them. */
export interface Unresolved {
  readonly plan: LayerPlan
  readonly item: DependencyItem
  /** Over all that the versions are chosen by. */
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

/** Undefined: it names none, or nothing here can choose their versions. */
export async function findUnresolved(
  reader: TreeReader,
  tree: TreeId,
): Promise<Unresolved | undefined> {
  const listed = await reader.list(tree)
  const lockfile = await lockfileFor(reader, tree, listed)
  if (lockfile === undefined) return undefined
  const registries = operatorRegistries(lockfile.manager)
  const reading = { text: '', paths: [], foreign: [], approvable: [] }
  const files = filesFor({ lockfile, folder: '', text: '', reading }, listed)
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

async function lockfileFor(
  reader: TreeReader,
  tree: TreeId,
  listed: ReadonlyMap<string, TreeFile>,
): Promise<Lockfile | undefined> {
  const of = (manager: string): Lockfile | undefined =>
    lockfiles.find((one) => one.manager === manager)
  const { data } = manifestSchema.safeParse(await readJson(reader, tree, 'package.json'))
  if (data !== undefined) {
    const all = [data.dependencies, data.devDependencies, data.optionalDependencies]
    const names = all.flatMap((one) => Object.keys(one ?? {}))
    if (names.length === 0 && data.workspaces === undefined) return undefined
    const isPnpm =
      data.packageManager?.startsWith('pnpm@') === true || listed.has('pnpm-workspace.yaml')
    return of(isPnpm ? 'pnpm' : 'npm')
  }
  // A lockfile that is there was not installed because the packages are in the commit.
  if (listed.has('Cargo.lock')) return undefined
  const cargo = Buffer.from((await reader.read(tree, 'Cargo.toml')) ?? []).toString()
  return /^\[(?:workspace\.|dev-|build-)?dependencies/m.test(cargo) ? of('cargo') : undefined
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

const recordOf = (record: string, key: string): string => join(record, 'resolved', `${key}.json`)

/** The one that was made before, or else a new one. */
export async function resolveLockfile(
  { plan, key }: Unresolved,
  record: string,
  options: InstallOptions,
): Promise<ResolvedLockfile> {
  const path = recordOf(record, key)
  if (existsSync(path)) {
    const known = resolvedSchema.safeParse(JSON.parse(await readFile(path, 'utf8')))
    if (known.success) return known.data
  }
  const { lockfile } = plan
  const manager = await findManager(plan, options.projects)
  const folder = await newLayerFolder(options.store)
  try {
    const written = await installIn(plan, manager, options, folder, async (installing) => {
      await runManager(installing, commands[lockfile.manager] ?? [])
      return readFile(join(folder, lockfile.file), 'utf8').catch(() => undefined)
    })
    if (written === undefined)
      throw refused(`${lockfile.manager} did not write ${lockfile.file}. Commit a lockfile`)
    const text = withTheirAddresses(written, plan)
    const digest = createHash('sha256').update(text).digest('hex')
    const made = { at: new Date().toISOString(), file: lockfile.file, text, digest }
    await mkdir(join(record, 'resolved'), { recursive: true, mode: 0o700 })
    await writeFile(`${path}.${process.pid}`, JSON.stringify(made), { mode: 0o600 })
    await rename(`${path}.${process.pid}`, path)
    return made
  } finally {
    await removeLayerFolder(options.store, folder)
  }
}

/** Addresses of our endpoint mean nothing tomorrow. */
function withTheirAddresses(text: string, { registries }: LayerPlan): string {
  return registries.routes.reduce(
    (all, { prefix, upstream }) => all.replaceAll(`${registryUrl}${prefix}/`, upstream),
    text,
  )
}

/** The same trees, with one more file at the top of one of them. */
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
