/**
 * The dependency layer of a clean checkout: all that the checks need besides the tree. It is shown inside
 * the walls where the stack expects it, and cannot be changed there.
 */

import { createHash } from 'node:crypto'
import { join, posix } from 'node:path'
import type { Layer, TreeReader } from '../../evidence/index.ts'
import type { Signal, TreeId } from '../../loop/index.ts'
import type { CertifySettings } from '../../protocol/index.ts'
import { managerFolder, managerPrograms } from './bring-manager.ts'
import { carryLayer } from './carry-layer.ts'
import { collectLayers } from './collect-layers.ts'
import {
  findManager,
  installLayer,
  layerKey,
  requireKnownSources,
  writtenFolders,
} from './install-layer.ts'
import { findLayer, layersFolder, type StoredLayer } from './layer-store.ts'
import { type LayerPlan, planLayer } from './plan-layer.ts'
import { checkEnvironment, refused, storeFolder } from './run-manager.ts'

export interface OpenLayerOptions {
  readonly reader: TreeReader
  /** Whose lockfile is trusted. */
  readonly lockfileOf: TreeId
  readonly mode: CertifySettings['dependencies']
  /** The folder of the record. */
  readonly record: string
  /** The person's own checkout: what is carried over is there, and no program is taken from it. */
  readonly checkout: string | undefined
  /** Other folders of the project. */
  readonly projects?: readonly string[]
  readonly signal: Signal
}

/** Paths in the checkout, but for `from`. */
export interface OpenedLayer extends Layer {
  readonly mounts: readonly { readonly from: string; readonly to: string }[]
  /** Folders in those to which programs of packages write. */
  readonly scratch: readonly string[]
  /** Folders of programs. */
  readonly programs: readonly string[]
  /** The same folders, by their whole paths outside. */
  readonly outsidePrograms: readonly string[]
  /** Where package managers of the layer are, by their whole paths. */
  readonly managerPrograms: readonly string[]
  /** Whole paths that must be seen as well. */
  readonly readOnly: readonly string[]
  /** Variables whose values are paths. */
  readonly paths: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
  /** It may be removed from then on. */
  release(): Promise<void>
}

export async function openLayer(options: OpenLayerOptions): Promise<OpenedLayer> {
  if (options.mode === 'none') return noLayer('none: the loop file wants none')
  const layers = await layersFor(options)
  if (layers.length === 0) return noLayer(await whyNone(options))
  // What is too much goes when something came; `loopctl gc` reports what cannot be removed.
  if (layers.some(({ isNew }) => isNew)) {
    await collectLayers(options.record, { now: Date.now() }).catch(() => undefined)
  }
  const mounts = layers.flatMap(({ path, folders }) =>
    folders
      .filter((folder) => ![storeFolder, managerFolder].includes(posix.basename(folder)))
      .map((folder) => ({ from: join(path, folder), to: folder })),
  )
  const folders = mounts.map(({ to }) => to)
  const managers = layers.flatMap(({ path }) => managerPrograms(path) ?? [])
  const ofNode = folders.filter((folder) => posix.basename(folder) === 'node_modules')
  const ofPython = folders.filter((folder) => posix.basename(folder) === '.site-packages')
  return {
    from: layers.some(({ from }) => from === 'carried') ? 'carried' : 'installed',
    digest: digestOf(layers),
    summary: layers.map(({ summary }) => summary).join('; '),
    mounts,
    scratch: ofNode.flatMap((folder) => writtenFolders.map((name) => posix.join(folder, name))),
    programs: folders.map((folder) => posix.join(folder, programsIn(folder))),
    outsidePrograms: [...mounts.map(({ from }) => join(from, programsIn(from))), ...managers],
    managerPrograms: managers,
    // What was made there may say where it is.
    readOnly: layers.map(({ path }) => path),
    paths: ofPython.length === 0 ? {} : { PYTHONPATH: ofPython[0] ?? '' },
    env: Object.assign({}, ...layers.map(storeEnvironment)),
    release: () => releaseAll(layers),
  }
}

async function releaseAll(layers: readonly StoredLayer[]): Promise<void> {
  for (const layer of layers) await layer.release()
}

/** Without a lockfile there is nothing to install from: the checkout may have dependencies all the same. */
async function layersFor(options: OpenLayerOptions): Promise<readonly StoredLayer[]> {
  if (options.mode === 'carry') return carried(options)
  const plans = await planLayer(options.reader, options.lockfileOf)
  return plans.length === 0 ? carried(options) : installed(options, plans)
}

/** Nobody else could install what only a cache of this machine has. */
function requireAll({ lockfile, missing }: LayerPlan): void {
  if (missing.length === 0) return
  throw refused(
    `${lockfile.file} takes packages from files that are not in the commit: ${missing.join(', ')}. Commit them`,
  )
}

async function installed(
  options: OpenLayerOptions,
  plans: readonly LayerPlan[],
): Promise<readonly StoredLayer[]> {
  const { reader, lockfileOf, record, checkout, signal } = options
  const store = layersFolder(record)
  const projects = [...(checkout === undefined ? [] : [checkout]), ...(options.projects ?? [])]
  const layers: StoredLayer[] = []
  try {
    for (const plan of plans) {
      signal.throwIfAborted()
      requireAll(plan)
      requireKnownSources(plan)
      const manager = await findManager(plan, projects)
      const install = { reader, tree: lockfileOf, store, projects, signal }
      const known = await findLayer(store, layerKey(plan, manager))
      layers.push(known ?? (await installLayer(plan, manager, install)))
    }
  } catch (error) {
    await releaseAll(layers)
    throw error
  }
  await releaseAll(layers.filter(({ folders }) => folders.length === 0))
  return layers.filter(({ folders }) => folders.length > 0)
}

async function carried(options: OpenLayerOptions): Promise<readonly StoredLayer[]> {
  const { reader, lockfileOf: tree, record, checkout: from, signal } = options
  if (from === undefined) return []
  const layer = await carryLayer({ reader, tree, store: layersFolder(record), from, signal })
  return layer === undefined ? [] : [layer]
}

async function whyNone({ reader, lockfileOf, mode }: OpenLayerOptions): Promise<string> {
  if (mode === 'carry') return 'none: the checkout has no installed dependencies'
  const text = Buffer.from((await reader.read(lockfileOf, 'package.json')) ?? []).toString('utf8')
  return /"(dev)?dependencies"\s*:\s*\{\s*"/i.test(text)
    ? 'none: package.json names dependencies, and there is no lockfile to install them from'
    : 'none: there is no lockfile'
}

const noLayer = (summary: string): OpenedLayer => ({
  from: 'none',
  digest: 'none',
  summary,
  mounts: [],
  scratch: [],
  programs: [],
  outsidePrograms: [],
  managerPrograms: [],
  readOnly: [],
  paths: {},
  env: {},
  release: async () => {},
})

/** One is named as it is. */
function digestOf(layers: readonly StoredLayer[]): string {
  const hash = createHash('sha256')
  for (const { digest } of layers) hash.update(`${digest}\n`)
  return hash.digest('hex')
}

function programsIn(folder: string): string {
  return posix.basename(folder) === 'node_modules' ? '.bin' : 'bin'
}

/** Nothing more can be fetched, and the manager is to know. */
function storeEnvironment({ path, folders, summary }: StoredLayer): Record<string, string> {
  const [manager = ''] = summary.split(',')
  const store = folders.find((folder) => posix.basename(folder) === storeFolder)
  if (store === undefined) return { ...checkEnvironment[manager] }
  return summary.startsWith('cargo')
    ? { CARGO_HOME: join(path, store), CARGO_NET_OFFLINE: 'true' }
    : { GOMODCACHE: join(path, store), GOPROXY: 'off', GOFLAGS: '-mod=mod' }
}
