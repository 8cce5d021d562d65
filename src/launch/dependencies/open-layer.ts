/**
 * The dependency layer of a clean checkout: all that the checks need besides the tree. It is shown inside
 * the walls where the stack expects it, and cannot be changed there.
 */

import { createHash } from 'node:crypto'
import { join, posix } from 'node:path'
import type { TreeReader } from '../../engine/index.ts'
import type { Layer } from '../../evidence/index.ts'
import type { Signal, TreeId } from '../../loop/index.ts'
import type { CertifySettings } from '../../protocol/index.ts'
import { managerFolder, managerPrograms } from './bring-manager.ts'
import { chooseLayers, releaseAll } from './choose-layers.ts'
import { collectLayers } from './collect-layers.ts'
import { writtenFolders } from './layer-folders.ts'
import type { StoredLayer } from './layer-store.ts'
import { editableFolders, isVenv } from './relocate-venv.ts'
import { checkEnvironment, storeFolder } from './run-manager.ts'

export interface OpenLayerOptions {
  readonly reader: TreeReader
  /** Whose lockfile is trusted. */
  readonly lockfileOf: TreeId
  readonly mode: CertifySettings['dependencies']
  /** Names of packages whose install scripts are run. */
  readonly installScripts?: readonly string[]
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
  /** Variables whose values are lists of paths. */
  readonly paths: Readonly<Record<string, readonly string[]>>
  readonly env: Readonly<Record<string, string>>
  /** It may be removed from then on. */
  release(): Promise<void>
}

export async function openLayer(options: OpenLayerOptions): Promise<OpenedLayer> {
  if (options.mode === 'none') return noLayer('none: the loop file wants none')
  const { layers, notes, why } = await chooseLayers(options)
  if (layers.length === 0) return { ...noLayer(why), ...notes }
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
  const python = [...folders.filter(isSitePackages), ...editablesIn(mounts, options.checkout)]
  return {
    from: layers.some(({ from }) => from === 'carried') ? 'carried' : 'installed',
    digest: digestOf(layers),
    summary: layers.map(({ summary }) => summary).join('; '),
    ...notes,
    mounts,
    scratch: ofNode.flatMap((folder) => writtenFolders.map((name) => posix.join(folder, name))),
    programs: folders.map((folder) => posix.join(folder, programsIn(folder))),
    outsidePrograms: [...mounts.map(({ from }) => join(from, programsIn(from))), ...managers],
    managerPrograms: managers,
    // What was made there may say where it is.
    readOnly: layers.map(({ path }) => path),
    paths: python.length === 0 ? {} : { PYTHONPATH: python },
    env: Object.assign({}, ...layers.map(storeEnvironment)),
    release: () => releaseAll(layers),
  }
}

const isSitePackages = (folder: string): boolean => posix.basename(folder) === '.site-packages'

/** What is installed as editable in the person's checkout is the clean checkout's own here. */
function editablesIn(
  mounts: OpenedLayer['mounts'],
  checkout: string | undefined,
): readonly string[] {
  if (checkout === undefined) return []
  const venvs = mounts.map(({ from }) => from).filter(isVenv)
  return [...new Set(venvs.flatMap((venv) => editableFolders(venv, checkout)))]
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
    : { GOMODCACHE: join(path, store), GOPROXY: 'off' }
}
