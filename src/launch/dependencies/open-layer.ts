/**
 * Opens the dependency layer of a clean checkout: everything that the checks need besides the tree. In the
 * sandbox it is mounted read-only where the stack expects it.
 */

import { createHash } from 'node:crypto'
import { join, posix } from 'node:path'
import type { TreeReader } from '../../engine/index.ts'
import type { DependencyLayer } from '../../evidence/index.ts'
import type { Signal, TreeId } from '../../loop/index.ts'
import type { CertifySettings } from '../../protocol/index.ts'
import { chooseLayers, releaseLayers } from './choose-layers.ts'
import { collectLayers } from './collect-layers.ts'
import { scratchFolders } from './layer-folders.ts'
import type { StoredLayer } from './layer-store.ts'
import { managerFolder, managerPrograms } from './manager-package.ts'
import { findEditableFolders, isVenv } from './relocate-venv.ts'
import { checkEnvironment, storeFolder } from './run-manager.ts'

export interface OpenLayerOptions {
  readonly reader: TreeReader
  /** The tree whose lockfile is trusted. */
  readonly lockfileTree: TreeId
  readonly mode: CertifySettings['dependencies']
  /** Names of packages whose install scripts run. */
  readonly installScripts?: readonly string[]
  readonly stateFolder: string
  /** The user's checkout: dependencies may be carried over from it, but no program is run from it. */
  readonly checkout: string | undefined
  /** Other folders of the project. */
  readonly projects?: readonly string[]
  readonly signal: Signal
}

/** Paths are relative to the checkout unless noted otherwise. */
export interface OpenedLayer extends DependencyLayer {
  /** `from` is absolute. */
  readonly mounts: readonly { readonly from: string; readonly to: string }[]
  /** Folders in the mounts to which programs of packages write. */
  readonly scratch: readonly string[]
  /** Folders of programs. */
  readonly programs: readonly string[]
  /** The same folders as absolute paths outside the sandbox. */
  readonly outsidePrograms: readonly string[]
  /** Absolute paths of the folders of package managers in the layer. */
  readonly managerPrograms: readonly string[]
  /** Absolute paths that must be visible as well. */
  readonly readOnly: readonly string[]
  /** Variables whose values are lists of paths. */
  readonly paths: Readonly<Record<string, readonly string[]>>
  readonly env: Readonly<Record<string, string>>
  /** Allows the removal of the layers. */
  release(): Promise<void>
}

export async function openLayer(options: OpenLayerOptions): Promise<OpenedLayer> {
  if (options.mode === 'none') return noLayer('none: the loop file wants none')
  const { layers, notes, reason } = await chooseLayers(options)
  if (layers.length === 0) return { ...noLayer(reason), ...notes }
  // The store has grown. A failure is ignored here; `loopctl gc` reports it.
  if (layers.some(({ isNew }) => isNew)) {
    await collectLayers(options.stateFolder, { now: Date.now() }).catch(() => undefined)
  }
  const mounts = layers.flatMap(({ path, folders }) =>
    folders
      .filter((folder) => ![storeFolder, managerFolder].includes(posix.basename(folder)))
      .map((folder) => ({ from: join(path, folder), to: folder })),
  )
  const folders = mounts.map(({ to }) => to)
  const managers = layers.flatMap(({ path }) => managerPrograms(path) ?? [])
  const moduleFolders = folders.filter((folder) => posix.basename(folder) === 'node_modules')
  const python = [
    ...folders.filter(isSitePackagesFolder),
    ...listEditableFolders(mounts, options.checkout),
  ]
  return {
    from: layers.some(({ from }) => from === 'carried') ? 'carried' : 'installed',
    digest: combineDigests(layers),
    summary: layers.map(({ summary }) => summary).join('; '),
    ...notes,
    mounts,
    scratch: moduleFolders.flatMap((folder) =>
      scratchFolders.map((name) => posix.join(folder, name)),
    ),
    programs: folders.map((folder) => posix.join(folder, binFolder(folder))),
    outsidePrograms: [...mounts.map(({ from }) => join(from, binFolder(from))), ...managers],
    managerPrograms: managers,
    // Installed files may contain the path of the layer.
    readOnly: layers.map(({ path }) => path),
    paths: python.length === 0 ? {} : { PYTHONPATH: python },
    env: Object.assign({}, ...layers.map(storeEnvironment)),
    release: () => releaseLayers(layers),
  }
}

const isSitePackagesFolder = (folder: string): boolean =>
  posix.basename(folder) === '.site-packages'

/** Packages installed as editable in the user's checkout come from the clean checkout here. */
function listEditableFolders(
  mounts: OpenedLayer['mounts'],
  checkout: string | undefined,
): readonly string[] {
  if (checkout === undefined) return []
  const venvs = mounts.map(({ from }) => from).filter(isVenv)
  return [...new Set(venvs.flatMap((venv) => findEditableFolders(venv, checkout)))]
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

function combineDigests(layers: readonly StoredLayer[]): string {
  const hash = createHash('sha256')
  for (const { digest } of layers) hash.update(`${digest}\n`)
  return hash.digest('hex')
}

function binFolder(folder: string): string {
  return posix.basename(folder) === 'node_modules' ? '.bin' : 'bin'
}

/** Tells the manager to work offline. */
function storeEnvironment({ path, folders, summary }: StoredLayer): Record<string, string> {
  const [manager = ''] = summary.split(',')
  const store = folders.find((folder) => posix.basename(folder) === storeFolder)
  if (store === undefined) return { ...checkEnvironment[manager] }
  return summary.startsWith('cargo')
    ? { CARGO_HOME: join(path, store), CARGO_NET_OFFLINE: 'true' }
    : { GOMODCACHE: join(path, store), GOPROXY: 'off' }
}
